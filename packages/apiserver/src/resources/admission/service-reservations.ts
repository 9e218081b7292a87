import type { ClusterStore } from '../../storage/cluster-store.ts';
import type { JsonObject } from '../../storage/stored-object.ts';
import { listAt } from '../cells.ts';
import { valueAt } from '../resource-type.ts';

/** Node ports of Services that are being written, by Service. */
const reservations = new WeakMap<ClusterStore, Set<ReadonlySet<number>>>();

/** Returns the node ports of Services whose writes are not stored yet. */
export function reservedPorts(store: ClusterStore): readonly number[] {
  return [...(reservations.get(store) ?? [])].flatMap((ports) => [...ports]);
}

/**
 * Reserves the node ports that a write adds to a Service, while webhooks are asked about it. (Upstream: the allocators of
 * `registry/core/service`.)
 *
 * @returns a function that ends the reservation, after the Service was stored or refused.
 */
export function reservePorts(store: ClusterStore, spec: JsonObject, before: JsonObject | undefined): () => void {
  const added = new Set(nodePortsOf(spec)).difference(new Set(nodePortsOf(before)));
  const all = reservations.get(store) ?? new Set();
  reservations.set(store, all.add(added));
  return () => all.delete(added);
}

/** Returns the node ports of a Service, and that of its health check. */
export function nodePortsOf(spec: unknown): number[] {
  const ports = listAt(spec, 'ports').map((port) => valueAt(port, 'nodePort'));
  return [...ports, valueAt(spec, 'healthCheckNodePort')].map((port) => Number(port ?? 0)).filter(Boolean);
}
