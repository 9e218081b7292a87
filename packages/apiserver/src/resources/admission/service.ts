import { isIPv4 } from 'node:net';
import type { ClusterStore } from '../../storage/cluster-store.ts';
import type { JsonObject } from '../../storage/stored-object.ts';
import { parseStored } from '../../storage/stored-object.ts';
import { invalid, invalidField } from '../../status.ts';
import type { StatusError } from '../../status.ts';
import { listAt } from '../cells.ts';
import { child, items } from '../defaulting/table.ts';
import type { AdmissionContext, Change } from '../resource-type.ts';
import { scalarText, valueAt } from '../resource-type.ts';

/** Addresses of Services: 10.0.0.0/24, as envtest starts kube-apiserver. */
const NETWORK = '10.0.0.';
const LAST_HOST = 254;
/** Addresses below are for clients that choose them. */
const FIRST_DYNAMIC_HOST = 17;

const NODE_PORTS = { from: 30_000, to: 32_767 };

/**
 * Allocates the address and node ports of a Service.
 *
 * @throws {StatusError} 422 if a chosen address or port is taken or out of range.
 */
export function admitService({ object, previous }: Change, { store }: AdmissionContext): void {
  const spec = child(object, 'spec');
  const { name, namespace = '' } = object.metadata;
  if (previous) keepAllocated(spec, previous['spec'] as JsonObject);
  const self = `${namespace}/${name}`;
  const needsAddress = spec['type'] !== 'ExternalName';
  if (needsAddress) setAddress(name, spec, takenAddresses(store, self));
  if (spec['type'] === 'NodePort' || wantsLoadBalancerPorts(spec)) setNodePorts(name, spec, takenPorts(store, self));
}

function wantsLoadBalancerPorts(spec: JsonObject): boolean {
  return spec['type'] === 'LoadBalancer' && spec['allocateLoadBalancerNodePorts'] !== false;
}

/** An update without an allocated value keeps it, if the type still has one. */
function keepAllocated(spec: JsonObject, before: JsonObject): void {
  if (spec['type'] !== 'ExternalName' && before['type'] !== 'ExternalName') {
    for (const field of ['clusterIP', 'clusterIPs']) spec[field] ??= before[field];
    for (const field of ['ipFamilies', 'ipFamilyPolicy']) spec[field] ??= before[field];
  }
  const hasPorts = (each: JsonObject): boolean => each['type'] === 'NodePort' || each['type'] === 'LoadBalancer';
  if (!hasPorts(spec) || !hasPorts(before)) return;
  const taken = new Set(items(spec, 'ports').map((port) => port['nodePort']));
  for (const port of items(spec, 'ports')) {
    const same = items(before, 'ports').find(
      (each) => each['port'] === port['port'] && each['protocol'] === port['protocol'],
    );
    if (!port['nodePort'] && same?.['nodePort'] && !taken.has(same['nodePort'])) port['nodePort'] = same['nodePort'];
  }
}

function takenAddresses(store: ClusterStore, self: string): Set<string> {
  const others = store
    .resource('services')
    .list('')
    .filter(({ key }) => key !== self);
  return new Set(others.map(({ fields }) => fields['spec.clusterIP'] ?? ''));
}

function takenPorts(store: ClusterStore, self: string): Set<number> {
  const others = store
    .resource('services')
    .list('')
    .filter(({ key }) => key !== self);
  const ports = others.flatMap((stored) => listAt(parseStored(stored), 'spec.ports'));
  return new Set(ports.map((port) => Number(valueAt(port, 'nodePort') ?? 0)));
}

function setAddress(name: string, spec: JsonObject, taken: ReadonlySet<string>): void {
  const chosen = scalarText(spec['clusterIP'] ?? listAt(spec, 'clusterIPs')[0]);
  const address = chosen === '' ? freeAddress(name, taken) : chosen;
  if (chosen !== '' && chosen !== 'None') checkAddress(name, chosen, taken);
  spec['clusterIP'] = address;
  spec['clusterIPs'] = listAt(spec, 'clusterIPs').length > 0 ? spec['clusterIPs'] : [address];
  // A headless Service without a selector may have endpoints of both families.
  const isOpen = address === 'None' && Object.keys(spec['selector'] ?? {}).length === 0;
  spec['ipFamilies'] ??= isOpen ? ['IPv4', 'IPv6'] : ['IPv4'];
  spec['ipFamilyPolicy'] ??= isOpen ? 'RequireDualStack' : 'SingleStack';
}

function freeAddress(name: string, taken: ReadonlySet<string>): string {
  const hosts = Array.from({ length: LAST_HOST }, (_, index) => index + 1);
  const order = [...hosts.slice(FIRST_DYNAMIC_HOST - 1), ...hosts.slice(0, FIRST_DYNAMIC_HOST - 1)];
  const host = order.find((candidate) => !taken.has(`${NETWORK}${candidate}`));
  if (host !== undefined) return `${NETWORK}${host}`;
  throw refused(name, 'spec.clusterIPs', [], 'failed to allocate a serviceIP: range is full');
}

function checkAddress(name: string, address: string, taken: ReadonlySet<string>): void {
  const isInRange =
    isIPv4(address) && address.startsWith(NETWORK) && !address.endsWith('.0') && !address.endsWith('.255');
  const why = !isInRange
    ? `the provided network does not match the current range`
    : taken.has(address)
      ? 'provided IP is already allocated'
      : undefined;
  if (!isIPv4(address)) return;
  if (why) throw refused(name, 'spec.clusterIPs', [address], `failed to allocate IP ${address}: ${why}`);
}

function setNodePorts(name: string, spec: JsonObject, taken: Set<number>): void {
  const ports = items(spec, 'ports');
  for (const [index, port] of ports.entries()) {
    const wanted = Number(port['nodePort'] ?? 0);
    if (wanted === 0) continue;
    const field = `spec.ports[${index}].nodePort`;
    if (wanted < NODE_PORTS.from || wanted > NODE_PORTS.to) {
      const range = `${NODE_PORTS.from}-${NODE_PORTS.to}`;
      throw refused(
        name,
        field,
        wanted,
        `provided port is not in the valid range. The range of valid ports is ${range}`,
      );
    }
    if (taken.has(wanted)) throw refused(name, field, wanted, 'provided port is already allocated');
  }
  for (const port of ports) taken.add(Number(port['nodePort'] ?? 0));
  for (const port of ports) {
    if (port['nodePort']) continue;
    let free = NODE_PORTS.from;
    while (taken.has(free)) free += 1;
    taken.add(free);
    port['nodePort'] = free;
  }
}

function refused(name: string, field: string, value: unknown, why: string): StatusError {
  return invalid({ group: '', kind: 'Service' }, name, [invalidField(field, value, why)]);
}
