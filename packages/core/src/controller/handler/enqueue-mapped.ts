import type { DeepReadonly, KubernetesObject, ObjectKey } from '@mcr/client';
import { foundText } from '@mcr/client';
import type { Cluster } from '../../fleet/cluster/cluster.ts';
import type { ClusterName } from '../../fleet/multicluster/cluster-name.ts';
import type { Request } from '../reconcile/request.ts';
import { isIterable, notMapped } from './check-handler.ts';
import type { EventHandler } from './event-handler.ts';

/** Where a mapped object is. */
export interface MapContext {
  readonly clusterName: ClusterName;
  /** To read what the mapping needs to know. */
  readonly cluster?: Cluster;
}

/** The requests that an object asks for. It is called with the old object of an update, too. */
export type MapFunction<T extends KubernetesObject, R> = (
  object: DeepReadonly<T>,
  context: MapContext,
) => Iterable<R> | Promise<Iterable<R>>;

/**
 * Asks for what `map` makes of the object, in the event's own cluster whatever cluster `map` says. If `map` returns
 * anything but keys, the event fails as if `map` had thrown; the watch goes on.
 * (Upstream: `handler.EnqueueRequestsFromMapFunc`.)
 */
export function enqueueMapped<T extends KubernetesObject>(map: MapFunction<T, ObjectKey>): EventHandler<T> {
  return mapped(map, {
    finish: ({ namespace = '', name }, clusterName): Request => ({ clusterName, namespace, name }),
    keyOf: ({ namespace, name }) => `${namespace}/${name}`,
    problemOf: keyProblem,
  });
}

/**
 * Asks for what `map` makes of the object, in the cluster that `map` says.
 * (Upstream: `EnqueueRequestsFromMapFuncWithClusterPreservation`.)
 */
export function enqueueMappedPreservingCluster<T extends KubernetesObject, R = Request>(
  map: MapFunction<T, R>,
): EventHandler<T, R> {
  const problemOf = (request: unknown) => (request === undefined || request === null ? String(request) : undefined);
  return mapped(map, { finish: (request) => request, problemOf });
}

interface Mapping<M, R> {
  readonly finish: (result: M, clusterName: ClusterName) => R;
  /** The key of a request within its cluster. Default: none, so that requests are not compared. */
  readonly keyOf?: (request: R) => string;
  /** Returns what is wrong with an entry that the function returned, or `undefined`. */
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
    // The old and the new object of an update ask for the same requests as a rule. Twice would be two reconciles.
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
      if (results instanceof Promise) pending.push(results.then((mappedTo) => enqueue(object, mappedTo)));
      else enqueue(object, results);
    }
    return pending.length === 0 ? undefined : Promise.all(pending).then(() => undefined);
  };
}

function keyProblem(result: unknown): string | undefined {
  if (typeof result !== 'object' || result === null) return foundText(result);
  const { namespace, name } = result as Readonly<Record<string, unknown>>;
  if (typeof name !== 'string' || name === '') return `${foundText(result)} without a name`;
  return namespace === undefined || typeof namespace === 'string'
    ? undefined
    : `${foundText(result)} whose namespace is ${foundText(namespace)}`;
}
