import { foundText, parseOptions } from '@mcr/client';
import * as z from 'zod';
import type { ClusterEvent, ClusterPredicate } from '../event/cluster-event.ts';
import { LOW_PRIORITY } from '../event/event.ts';
import { isIterable } from '../handler/check-handler.ts';
import type { ReconcileRequest } from '../reconcile/request.ts';
import type { RequestQueue } from '../workqueue/request-queue.ts';
import { ClusterDeliveries } from './cluster-deliveries.ts';
import type { ControllerSource } from './source.ts';

/**
 * Returns the requests for a change of a cluster. It may be asynchronous, and should only read from caches: later events
 * wait for it.
 */
export type ClusterMapFunction<R> = (event: ClusterEvent) => Iterable<R> | Promise<Iterable<R>>;

/** Options of {@link clusterSource}. */
export interface ClusterSourceOptions {
  /** Predicates that events must pass, for example `({ type }) => type !== 'phase'`. Default: none. */
  readonly predicates?: readonly ClusterPredicate[];
}

const method = z.custom((value) => typeof value === 'function', 'expected a function');
const schema = z.strictObject({
  predicates: z.array(method).exactOptional(),
} satisfies Record<keyof ClusterSourceOptions, z.ZodType>);

/**
 * Returns a source of requests for changes of the fleet: a cluster is engaged or disengaged, or its labels or its phase
 * change. When the controller starts, each cluster is an event: an engaged one is `engaged`, another one `phase`. The
 * local cluster causes no events.
 *
 * If `map` or a predicate fails, the event is retried after 1 s, doubling up to 5 min. At most one event of each type waits
 * for each cluster; a retry uses the latest one. In a sharded fleet, each replica receives events of all clusters: those
 * that another replica serves are in the phase `Discovered`. A request is added in the replica that owns it.
 *
 * @throws {TypeError} if `map` is not a function, or an option is unknown or invalid.
 */
export function clusterSource<R = ReconcileRequest>(
  map: ClusterMapFunction<R>,
  options: ClusterSourceOptions = {},
): ControllerSource<R> {
  if (typeof map !== 'function') {
    throw new TypeError(
      `clusterSource: expected a function, found ${foundText(map)}: pass (event) => [{ clusterName, namespace, name }]`,
    );
  }
  parseOptions('clusterSource', schema, options);
  const { predicates = [] } = options;
  const handle = (event: ClusterEvent, queue: RequestQueue<R>): void | Promise<void> => {
    if (!predicates.every((predicate) => predicate(event))) return undefined;
    const add = (results: Iterable<R>) => {
      for (const request of checked<R>(event, results))
        queue.add(request, event.initial ? { priority: LOW_PRIORITY } : {});
    };
    const results = map(event);
    if (results instanceof Promise) return results.then(add);
    add(results);
    return undefined;
  };
  return {
    per: 'controller',
    name: 'clusters',
    async start({ queue, clusters, clock, log, signal }) {
      if (!clusters) {
        throw new TypeError('clusterSource: the context has no clusters: watch the source with a controller');
      }
      const deliveries = new ClusterDeliveries({ handle: (event) => handle(event, queue), clock, log, signal });
      clusters.follow((event) => deliveries.add(event), signal);
      return {
        synced: Promise.resolve(),
        stop: () => undefined,
        replay: async (target) => {
          for (const event of [...clusters.current()]) await handle(event, target);
        },
      };
    },
  };
}

/** @throws {TypeError} if a map function did not return requests. */
function checked<R>({ clusterName, type }: ClusterEvent, results: unknown): Iterable<R> {
  // Read once, because the iterable may be a generator.
  const requests = isIterable(results) ? [...results] : undefined;
  const missing = requests?.findIndex((request) => request === undefined || request === null) ?? -1;
  // A map function of this type returns requests of the controller.
  if (requests && missing < 0) return requests as R[];
  const found = requests ? `an entry that is ${String(requests[missing])}` : foundText(results);
  throw new TypeError(
    `map function for the event ${type} of cluster ${JSON.stringify(clusterName)}: expected it to return an array of requests, found ${found}: return [{ clusterName, namespace, name }], or [] for none`,
  );
}
