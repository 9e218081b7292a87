import { internalError, invalid, invalidField } from '../../status.ts';
import type { JsonObject, StoredObject } from '../../storage/stored-object.ts';
import { parseStored } from '../../storage/stored-object.ts';
import { items } from '../defaulting/table.ts';
import type { AdmissionContext } from '../resource-type.ts';
import { needsHealthCheck } from '../validation/service.ts';
import type { Specs } from './service.ts';
import { nodePortsOf, reservedPorts } from './service-reservations.ts';

const NODE_PORTS = { from: 30_000, to: 32_767 };

/** Ports below are for clients that choose them, while there are others. */
const FIRST_DYNAMIC_PORT = 30_086;

const hasNodePorts = ({ type }: JsonObject): boolean => type === 'NodePort' || type === 'LoadBalancer';
const getsNodePorts = (spec: JsonObject): boolean =>
  spec['type'] === 'NodePort' || (spec['type'] === 'LoadBalancer' && spec['allocateLoadBalancerNodePorts'] !== false);
const nodePortOf = (port: JsonObject): number => Number(port['nodePort'] ?? 0);

/** Keeps the node ports of an update without them: those of the ports with the same names. */
export function keepPorts({ spec, before }: Specs): void {
  if (!before) return;
  if (getsNodePorts(spec) && getsNodePorts(before)) {
    const earlier = items(before, 'ports');
    const [was, is] = [earlier, items(spec, 'ports')].map((ports) => new Set(ports.map(nodePortOf)));
    const byName = new Map(earlier.map((port) => [port['name'] ?? '', nodePortOf(port)]));
    for (const port of items(spec, 'ports')) {
      const kept = byName.get(port['name'] ?? '') ?? 0;
      if (nodePortOf(port) === 0 && kept !== 0 && !(was?.has(kept) && is?.has(kept))) port['nodePort'] = kept;
    }
  }
  if (needsHealthCheck(spec) && needsHealthCheck(before)) spec['healthCheckNodePort'] ||= before['healthCheckNodePort'];
}

/**
 * Allocates the node ports of a Service.
 *
 * @param dryRun whether nothing is stored. The range of the ports is not checked then, as upstream.
 * @throws {StatusError} 422 if a chosen port is taken or out of range.
 */
export function allocatePorts(
  { name, namespace, spec, before }: Specs,
  { store, dryRun }: Pick<AdmissionContext, 'store' | 'dryRun'>,
): void {
  if (!hasNodePorts(spec) && !needsHealthCheck(spec)) return;
  const others = store
    .resource('services')
    .list('')
    // A new Service competes with one of the same name, too: the conflict of the names is found later.
    .filter(({ key }) => !before || key !== `${namespace}/${name}`);
  const pool = new PortPool(name, [...others.flatMap(portsOf), ...reservedPorts(store)], dryRun);
  const isKept = new Set(before ? items(before, 'ports').map(nodePortOf) : []);
  const ports = hasNodePorts(spec) ? items(spec, 'ports') : [];
  for (const kept of isKept) if (kept !== 0) pool.keep(kept);
  if (before) allocateChanged(spec, ports, { isKept, pool });
  else allocateNew(spec, ports, pool);
  if (!needsHealthCheck(spec) || (before && needsHealthCheck(before))) return;
  const wanted = Number(spec['healthCheckNodePort'] ?? 0);
  const why = wanted === 0 ? undefined : pool.take(wanted);
  if (why) throw internalError(new Error(`failed to allocate requested HealthCheck NodePort ${wanted}: ${why}`));
  spec['healthCheckNodePort'] = wanted || pool.next();
}

function portsOf(stored: StoredObject): number[] {
  return nodePortsOf(parseStored(stored)['spec']);
}

/** Ports of the same number, for other protocols, share a node port. */
function allocateNew(spec: JsonObject, ports: readonly JsonObject[], pool: PortPool): void {
  const shared = new Map<unknown, number>();
  const chosen = new Map(
    ports
      .filter((port) => nodePortOf(port) !== 0)
      .toReversed()
      .map((port) => [port['port'], nodePortOf(port)]),
  );
  for (const [index, port] of ports.entries()) {
    if (nodePortOf(port) === 0 && !getsNodePorts(spec)) continue;
    const number = port['port'];
    const known = shared.get(number) ?? 0;
    if (known === 0) {
      const wanted = chosen.get(number) ?? pool.next();
      if (chosen.has(number)) pool.require(index, wanted);
      port['nodePort'] = wanted;
      shared.set(number, wanted);
    } else if (nodePortOf(port) === 0) port['nodePort'] = known;
    else if (nodePortOf(port) !== known) pool.require(index, nodePortOf(port));
  }
}

interface Kept {
  readonly isKept: ReadonlySet<number>;
  readonly pool: PortPool;
}

function allocateChanged(spec: JsonObject, ports: readonly JsonObject[], { isKept, pool }: Kept): void {
  const seen = new Set<string>();
  const added = new Set<number>();
  for (const [index, port] of ports.entries()) {
    if (nodePortOf(port) === 0 && !getsNodePorts(spec)) continue;
    const wanted = nodePortOf(port) || pool.next();
    if (nodePortOf(port) !== 0 && !isKept.has(wanted) && !added.has(wanted)) {
      pool.require(index, wanted);
      added.add(wanted);
    }
    port['nodePort'] = wanted;
    const key = `${String(port['protocol'])}/${wanted}`;
    if (seen.has(key)) throw internalError(new Error(`duplicate nodePort: {${String(port['protocol'])} ${wanted}}`));
    seen.add(key);
  }
}

/** The node ports of a cluster, for one Service. */
class PortPool {
  readonly #name: string;
  readonly #taken: Set<number>;
  readonly #dryRun: boolean;
  #free = FIRST_DYNAMIC_PORT;

  constructor(name: string, taken: readonly number[], dryRun: boolean) {
    this.#name = name;
    this.#taken = new Set(taken);
    this.#dryRun = dryRun;
  }

  /** Marks a port that the Service has already. */
  keep(port: number): void {
    this.#taken.add(port);
  }

  /** Takes a port; returns why it cannot be taken. */
  take(port: number): string | undefined {
    const { from, to } = NODE_PORTS;
    if (!this.#dryRun && (port < from || port > to)) {
      return `provided port is not in the valid range. The range of valid ports is ${from}-${to}`;
    }
    if (this.#taken.has(port)) return 'provided port is already allocated';
    this.#taken.add(port);
    return undefined;
  }

  /** Takes the node port that a port names. @throws {StatusError} 422 if it cannot be taken. */
  require(index: number, port: number): void {
    const why = this.take(port);
    if (why === undefined) return;
    const error = invalidField(`spec.ports[${index}].nodePort`, port, why);
    throw invalid({ group: '', kind: 'Service' }, this.#name, [error]);
  }

  /** Takes any free port. @throws {StatusError} 500 if there is none. */
  next(): number {
    while (this.#taken.has(this.#free)) this.#free += 1;
    if (this.#free > NODE_PORTS.to) for (this.#free = NODE_PORTS.from; this.#taken.has(this.#free);) this.#free += 1;
    if (this.#free > NODE_PORTS.to) throw internalError(new Error('failed to allocate a nodePort: range is full'));
    this.#taken.add(this.#free);
    return this.#free;
  }
}
