import type { DeepReadonly, KubernetesObject, ObjectKey } from '@mcr/client';
import { foundText } from '@mcr/client';
import type { Cluster } from '../../fleet/cluster/cluster.ts';
import type { ClusterName } from '../../fleet/multicluster/cluster-name.ts';
import type { ReconcileRequest } from '../reconcile/request.ts';
import { isIterable, notMapped } from './check-handler.ts';
import type { EventHandler } from './event-handler.ts';

/** The cluster of a mapped object. */
export interface MapContext {
  readonly clusterName: ClusterName;
  /** The object's cluster, for mappings that read from it. */
  readonly cluster?: Cluster;
}

/**
 * Returns the requests for an object. It is also called with the old object of an update. It may be asynchronous, and
 * should only read from the cache: later events wait for it.
 */
export type MapFunction<T extends KubernetesObject, R> = (
  object: DeepReadonly<T>,
  context: MapContext,
) => Iterable<R> | Promise<Iterable<R>>;

/** The object that a mapping asks to reconcile. */
export interface MappedKey extends ObjectKey {
  /** UID of the object, for controllers that are divided by `shardBy: 'uid'`. Default: the request has none. */
  readonly uid?: string;
}

/**
 * Returns a handler that adds a request for each key that `map` returns, always in the cluster of the event. If `map`
 * returns anything else, the event fails as if `map` had thrown, and the watch continues. (Upstream:
 * `handler.EnqueueRequestsFromMapFunc`.)
 */
export function enqueueMapped<T extends KubernetesObject>(map: MapFunction<T, MappedKey>): EventHandler<T> {
  return mapped(map, {
    finish: ({ namespace = '', name, uid }, clusterName): ReconcileRequest => ({
      clusterName,
      namespace,
      name,
      ...(uid !== undefined && { uid }),
    }),
    keyOf: ({ namespace, name }) => `${namespace}/${name}`,
    problemOf: keyProblem,
  });
}

/**
 * Returns a handler that adds the requests that `map` returns, with the cluster that `map` sets. (Upstream:
 * `EnqueueRequestsFromMapFuncWithClusterPreservation`.)
 */
export function enqueueMappedPreservingCluster<T extends KubernetesObject, R = ReconcileRequest>(
  map: MapFunction<T, R>,
): EventHandler<T, R> {
  const problemOf = (request: unknown) => (request === undefined || request === null ? String(request) : undefined);
  return mapped(map, { finish: (request) => request, problemOf });
}

interface Mapping<M, R> {
  readonly finish: (result: M, clusterName: ClusterName) => R;
  /** The key of a request within its cluster. Default: none, so that requests are not compared. */
  readonly keyOf?: (request: R) => string;
  /** Returns the problem of an entry that the function returned, or `undefined`. */
  readonly problemOf: (result: unknown) => string | undefined;
}

function mapped<T extends KubernetesObject, M, R>(
  map: MapFunction<T, M>,
  { finish, keyOf, problemOf }: Mapping<M, R>,
): EventHandler<T, R> {
  if (typeof map !== 'function') {
    throw new TypeError(
      `enqueueMapped: expected a function, found ${foundText(map)}: pass (object, context) => [{ namespace, name }]`,
    );
  }
  return (event, { queue, cluster }) => {
    const { clusterName } = event;
    const context: MapContext = { clusterName, ...(cluster && { cluster }) };
    // The old and the new object of an update usually map to the same requests, which must be added once.
    const seen = event.type === 'update' && keyOf ? new Set<string>() : undefined;
    const enqueue = (object: DeepReadonly<T>, results: unknown) => {
      if (!isIterable(results)) throw notMapped(object, foundText(results));
      for (const result of results as Iterable<M>) {
        const problem = problemOf(result);
        if (problem !== undefined) throw notMapped(object, `an entry that is ${problem}`);
        const request = finish(result, clusterName);
        const key = seen && keyOf?.(request);
        if (key !== undefined && seen?.has(key)) continue;
        if (key !== undefined) seen?.add(key);
        queue.add(request);
      }
    };
    const objects = event.type === 'update' ? [event.oldObject, event.object] : [event.object];
    const pending: Promise<void>[] = [];
    for (const object of objects) {
      const results = map(object, context);
      if (results instanceof Promise) {
        const added = results.then((mappedTo) => enqueue(object, mappedTo));
        // If the function throws on the other object, no caller waits for this one.
        added.catch(() => undefined);
        pending.push(added);
      } else enqueue(object, results);
    }
    return pending.length === 0 ? undefined : Promise.all(pending).then(() => undefined);
  };
}

function keyProblem(result: unknown): string | undefined {
  if (typeof result !== 'object' || result === null) return foundText(result);
  const { namespace, name, uid } = result as Readonly<Record<string, unknown>>;
  if (typeof name !== 'string' || name === '') return `${foundText(result)} without a name`;
  if (uid !== undefined && typeof uid !== 'string') return `${foundText(result)} whose uid is ${foundText(uid)}`;
  return namespace === undefined || typeof namespace === 'string'
    ? undefined
    : `${foundText(result)} whose namespace is ${foundText(namespace)}`;
}
