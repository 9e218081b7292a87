import type { KubernetesObject } from '@mcr/client';
import type { Cluster } from '../../fleet/cluster/cluster.ts';
import type { ObjectEvent } from '../event/event.ts';
import type { ReconcileRequest } from '../reconcile/request.ts';
import type { RequestQueue } from '../workqueue/request-queue.ts';

/** The second argument of a handler. */
export interface HandlerContext<R> {
  /**
   * The queue of the controller. It ignores additions after the cluster was disengaged. Requests for initial objects and
   * resyncs have `LOW_PRIORITY` by default.
   */
  readonly queue: RequestQueue<R>;
  /** The cluster of the event. Absent for a source without a cluster. */
  readonly cluster?: Cluster;
  /** The local cluster of the manager. Absent if the manager has none. */
  readonly localCluster?: Cluster;
}

/**
 * Adds the requests for an event to the queue. A handler may be asynchronous: the next event of the same watch and
 * cluster waits until its promise has settled. If it throws or rejects, the error is logged and shown in the fleet status,
 * and the handler is called again with backoff: 1 s, doubling up to 5 min. Meanwhile, other events are handled.
 * (Upstream: `handler.TypedEventHandler`.)
 */
export interface EventHandler<T extends KubernetesObject, R = ReconcileRequest> {
  (event: ObjectEvent<T>, context: HandlerContext<R>): void | Promise<void>;
  /**
   * Returns the handler for one cluster, for handlers that need data about the cluster. A source of a kind calls it before
   * the first event of that cluster. If it rejects, the source fails and is retried with backoff. The fleet status shows
   * the error, and no event is lost. Default: the handler itself.
   */
  prepare?(cluster: Cluster): Promise<EventHandler<T, R>>;
}
