import type { ClusterStore } from '../../storage/cluster-store.ts';
import type { JsonObject } from '../../storage/stored-object.ts';
import { listAt } from '../cells.ts';
import { scalarText, valueAt } from '../resource-type.ts';

/** Addresses and node ports of Services that are being written. */
export interface Reservation {
  readonly addresses: ReadonlySet<string>;
  readonly ports: ReadonlySet<number>;
}

const reservations = new WeakMap<ClusterStore, Set<Reservation>>();

/** Returns what Services have reserved whose writes are not stored yet. */
export function reserved(store: ClusterStore): readonly Reservation[] {
  return [...(reservations.get(store) ?? [])];
}

/**
 * Reserves the addresses and node ports that a write adds to a Service, while webhooks are asked about it. (Upstream: the
 * allocators of `registry/core/service`.)
 *
 * @returns a function that ends the reservation, after the Service was stored or refused.
 */
export function reserve(store: ClusterStore, spec: JsonObject, before: JsonObject | undefined): () => void {
  const added = <T>(of: (spec: JsonObject | undefined) => readonly T[]): ReadonlySet<T> =>
    new Set(of(spec)).difference(new Set(of(before)));
  const reservation = { addresses: added(addressesOf), ports: added(nodePortsOf) };
  const all = reservations.get(store) ?? new Set();
  reservations.set(store, all.add(reservation));
  return () => all.delete(reservation);
}

function addressesOf(spec: JsonObject | undefined): string[] {
  return listAt(spec, 'clusterIPs')
    .map(scalarText)
    .filter((address) => address !== '' && address !== 'None');
}

/** Returns the node ports of a Service, and that of its health check. */
export function nodePortsOf(spec: unknown): number[] {
  const ports = listAt(spec, 'ports').map((port) => valueAt(port, 'nodePort'));
  return [...ports, valueAt(spec, 'healthCheckNodePort')].map((port) => Number(port ?? 0)).filter(Boolean);
}
