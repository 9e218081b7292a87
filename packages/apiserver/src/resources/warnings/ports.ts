import { listAt } from '../cells.ts';
import { scalarText, valueAt } from '../resource-type.ts';

interface Port {
  readonly field: string;
  readonly name: string;
  readonly address: string;
  readonly host: number;
  readonly own: number;
  readonly protocol: string;
}

type Container = readonly [field: string, container: unknown];

/** Returns the warnings about ports that contradict one another. */
export function portWarnings(containers: readonly Container[]): string[] {
  const ports = containers.flatMap(([field, container]) =>
    listAt(container, 'ports').map((port, index) => portIn(`${field}.ports[${index}]`, port)),
  );
  return [
    ...ports.flatMap((port, index) => [
      ...(port.address !== '' && port.host === 0
        ? [`${port.field}: hostIP set without hostPort: ${goText(port)}`]
        : []),
      ...ports.slice(0, index).flatMap((other) => conflict(port, other)),
    ]),
    ...ports.flatMap((port, index) => {
      const other = ports.findIndex(({ name }) => name !== '' && name === port.name);
      if (port.name === '' || other === index) return [];
      const first = ports[other]?.field ?? '';
      const text = `duplicate port name ${JSON.stringify(port.name)} with ${first}`;
      return [`${port.field}: ${text}, services and probes that select ports by name will use ${first}`];
    }),
  ];
}

function portIn(field: string, port: unknown): Port {
  const [name = '', address = '', protocol = ''] = ['name', 'hostIP', 'protocol'].map((part) =>
    scalarText(valueAt(port, part)),
  );
  const [host = 0, own = 0] = ['hostPort', 'containerPort'].map((part) => Number(valueAt(port, part) ?? 0));
  return { field, name, address, host, own, protocol };
}

/** A port as Go prints it. */
function goText({ name, host, own, protocol, address }: Port): string {
  return `{Name:${name} HostPort:${host} ContainerPort:${own} Protocol:${protocol} HostIP:${address}}`;
}

function conflict(port: Port, other: Port): string[] {
  if (port.own !== other.own || port.protocol !== other.protocol) return [];
  const because = (what: string): string[] => [`${port.field}: ${what} port definition with ${other.field}`];
  if (port.address === other.address && port.host === other.host) return because('duplicate');
  if (port.host === 0 || other.host === 0) return because('overlapping');
  const isOneOpen = (port.address === '') !== (other.address === '');
  return port.host === other.host && isOneOpen ? because('dangerously ambiguous') : [];
}
