import { listAt } from '../cells.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import { firstIndexes, firstWarnings } from './limit.ts';
import type { Port } from './port-index.ts';
import { PortIndex } from './port-index.ts';

type Container = readonly [field: string, container: unknown];

/** Returns the warnings about ports that contradict one another: as many as a response can show. */
export function portWarnings(containers: readonly Container[]): string[] {
  return firstWarnings(allWarnings(containers));
}

function* allWarnings(containers: readonly Container[]): Generator<string> {
  const ports = containers.flatMap(([field, container]) =>
    listAt(container, 'ports').map((port, index) => portIn(`${field}.ports[${index}]`, port)),
  );
  const earlier = new PortIndex();
  for (const port of ports) {
    if (port.address !== '' && port.host === 0) yield `${port.field}: hostIP set without hostPort: ${goText(port)}`;
    for (const [other, how] of earlier.contradicting(port)) {
      yield `${port.field}: ${how} port definition with ${other.field}`;
    }
    earlier.add(port);
  }
  const firstNamed = firstIndexes(ports.map(({ name }) => name));
  for (const [index, port] of ports.entries()) {
    const other = firstNamed[index] ?? index;
    if (port.name === '' || other === index) continue;
    const first = ports[other]?.field ?? '';
    const text = `duplicate port name ${JSON.stringify(port.name)} with ${first}`;
    yield `${port.field}: ${text}, services and probes that select ports by name will use ${first}`;
  }
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
