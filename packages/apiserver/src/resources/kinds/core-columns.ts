import type { ApiObject } from '../../storage/stored-object.ts';
import { accessModesText, labelsText, listAt } from '../cells.ts';
import { ageColumn, nameColumn, textColumn } from '../columns.ts';
import { podStatus } from '../pod-status.ts';
import type { Column } from '../resource-type.ts';
import { scalarText, valueAt } from '../resource-type.ts';

/** Columns of the kinds of the core group that have more than texts of fields (upstream: `pkg/printers`). */

const SHOWN = 3;

/** Returns the first texts of a list, and how many more there are. */
export function someOf(texts: readonly string[], none: string): string {
  if (texts.length === 0) return none;
  const shown = texts.slice(0, SHOWN).join(',');
  return texts.length > SHOWN ? `${shown} + ${texts.length - SHOWN} more...` : shown;
}

export function endpointsCell(endpoints: ApiObject): string {
  const texts = listAt(endpoints, 'subsets').flatMap((subset) => {
    const addresses = listAt(subset, 'addresses').map((address) => scalarText(valueAt(address, 'ip')));
    const ports = listAt(subset, 'ports');
    if (ports.length === 0) return addresses;
    return ports.flatMap((port) => addresses.map((address) => `${address}:${scalarText(valueAt(port, 'port'))}`));
  });
  return someOf(texts, '<none>');
}

const wide = (column: Column): Column => ({ ...column, priority: 1 });

export const podColumns: readonly Column[] = [
  nameColumn,
  { name: 'Ready', type: 'string', cell: (pod) => podStatus(pod).ready },
  { name: 'Status', type: 'string', cell: (pod) => podStatus(pod).reason },
  { name: 'Restarts', type: 'string', cell: (pod) => podStatus(pod).restarts },
  ageColumn,
  wide({
    name: 'IP',
    type: 'string',
    cell: (pod) => valueAt(listAt(pod, 'status.podIPs')[0], 'ip') ?? valueAt(pod, 'status.podIP') ?? '<none>',
  }),
  wide(textColumn('Node', 'spec.nodeName', '<none>')),
  wide(textColumn('Nominated Node', 'status.nominatedNodeName', '<none>')),
  wide({
    name: 'Readiness Gates',
    type: 'string',
    cell: (pod) => {
      const gates = listAt(pod, 'spec.readinessGates').map((gate) => valueAt(gate, 'conditionType'));
      const conditions = listAt(pod, 'status.conditions').filter((each) => valueAt(each, 'status') === 'True');
      const open = new Set(conditions.map((each) => valueAt(each, 'type')));
      return gates.length === 0 ? '<none>' : `${gates.filter((gate) => open.has(gate)).length}/${gates.length}`;
    },
  }),
];

function externalAddress(service: ApiObject): string {
  const external = listAt(service, 'spec.externalIPs').map(scalarText);
  switch (valueAt(service, 'spec.type')) {
    case 'LoadBalancer': {
      const ingress = listAt(service, 'status.loadBalancer.ingress');
      const own = ingress.map((each) => scalarText(valueAt(each, 'ip') ?? valueAt(each, 'hostname')));
      return [...own.toSorted(), ...external].join(',') || '<pending>';
    }
    case 'ExternalName':
      return scalarText(valueAt(service, 'spec.externalName'));
    case undefined:
    case '':
      return '<unknown>';
    default:
      return external.join(',') || '<none>';
  }
}

function portText(port: unknown): string {
  const [number, nodePort, protocol] = ['port', 'nodePort', 'protocol'].map((field) =>
    scalarText(valueAt(port, field)),
  );
  return Number(nodePort) > 0 ? `${number}:${nodePort}/${protocol}` : `${number}/${protocol}`;
}

export const serviceColumns: readonly Column[] = [
  nameColumn,
  textColumn('Type', 'spec.type'),
  { name: 'Cluster-IP', type: 'string', cell: (service) => listAt(service, 'spec.clusterIPs')[0] ?? '<none>' },
  { name: 'External-IP', type: 'string', cell: externalAddress },
  {
    name: 'Port(s)',
    type: 'string',
    cell: (service) => listAt(service, 'spec.ports').map(portText).join(',') || '<none>',
  },
  ageColumn,
  wide({ name: 'Selector', type: 'string', cell: (service) => labelsText(valueAt(service, 'spec.selector')) }),
];

const ROLE = 'node-role.kubernetes.io/';

function nodeStatus(node: ApiObject): string {
  const ready = listAt(node, 'status.conditions').find((each) => valueAt(each, 'type') === 'Ready');
  const status = ready === undefined ? 'Unknown' : valueAt(ready, 'status') === 'True' ? 'Ready' : 'NotReady';
  return valueAt(node, 'spec.unschedulable') === true ? `${status},SchedulingDisabled` : status;
}

function nodeRoles({ metadata }: ApiObject): string {
  const labels = Object.entries(metadata.labels ?? {});
  const roles = labels.flatMap(([key, value]) => {
    if (key.startsWith(ROLE)) return key.length > ROLE.length ? [key.slice(ROLE.length)] : [];
    return key === 'kubernetes.io/role' && value !== '' ? [value] : [];
  });
  return [...new Set(roles)].toSorted().join(',') || '<none>';
}

const addressColumn = (name: string, type: string): Column =>
  wide({
    name,
    type: 'string',
    cell: (node) =>
      valueAt(
        listAt(node, 'status.addresses').find((each) => valueAt(each, 'type') === type),
        'address',
      ) ?? '<none>',
  });

export const nodeColumns: readonly Column[] = [
  nameColumn,
  { name: 'Status', type: 'string', cell: nodeStatus },
  { name: 'Roles', type: 'string', cell: nodeRoles },
  ageColumn,
  textColumn('Version', 'status.nodeInfo.kubeletVersion'),
  addressColumn('Internal-IP', 'InternalIP'),
  addressColumn('External-IP', 'ExternalIP'),
  wide({
    name: 'OS-Image',
    type: 'string',
    cell: (node) => scalarText(valueAt(node, 'status.nodeInfo.osImage')) || '<unknown>',
  }),
  wide({
    name: 'Kernel-Version',
    type: 'string',
    cell: (node) => scalarText(valueAt(node, 'status.nodeInfo.kernelVersion')) || '<unknown>',
  }),
  wide({
    name: 'Container-Runtime',
    type: 'string',
    cell: (node) => scalarText(valueAt(node, 'status.nodeInfo.containerRuntimeVersion')) || '<unknown>',
  }),
];

const ofBound = (claim: ApiObject, text: () => string): string => (valueAt(claim, 'spec.volumeName') ? text() : '');

export const volumeClaimColumns: readonly Column[] = [
  nameColumn,
  {
    name: 'Status',
    type: 'string',
    cell: (claim) => (claim.metadata.deletionTimestamp ? 'Terminating' : valueAt(claim, 'status.phase')),
  },
  textColumn('Volume', 'spec.volumeName'),
  {
    name: 'Capacity',
    type: 'string',
    cell: (claim) => ofBound(claim, () => scalarText(valueAt(claim, 'status.capacity.storage') ?? '0')),
  },
  {
    name: 'Access Modes',
    type: 'string',
    cell: (claim) => ofBound(claim, () => accessModesText(listAt(claim, 'status.accessModes'))),
  },
  textColumn('StorageClass', 'spec.storageClassName'),
  textColumn('VolumeAttributesClass', 'spec.volumeAttributesClassName', '<unset>'),
  ageColumn,
  wide(textColumn('VolumeMode', 'spec.volumeMode', '<unset>')),
];

/** Returns the amounts of a quota: those of limits, or the others. */
function amounts(quota: ApiObject, ofLimits: boolean): string {
  const hard = Object.entries((valueAt(quota, 'status.hard') ?? {}) as Record<string, unknown>);
  const used = (valueAt(quota, 'status.used') ?? {}) as Record<string, unknown>;
  return hard
    .filter(([name]) => name.startsWith('limits.') === ofLimits)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, amount]) => `${name}: ${scalarText(used[name] ?? '0')}/${scalarText(amount)}`)
    .join(', ');
}

export const quotaColumns: readonly Column[] = [
  nameColumn,
  { name: 'Request', type: 'string', cell: (quota) => amounts(quota, false) },
  { name: 'Limit', type: 'string', cell: (quota) => amounts(quota, true) },
  ageColumn,
];
