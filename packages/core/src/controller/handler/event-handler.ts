import type { KubernetesObject } from '@mcr/client';
import type { Cluster } from '../../fleet/cluster/cluster.ts';
import type { ObjectEvent } from '../event/event.ts';
import type { Request } from '../reconcile/request.ts';
import type { RequestQueue } from '../workqueue/request-queue.ts';

/** What a handler is given besides its event. */
export interface HandlerContext<R> {
  /** Takes nothing more once the cluster is disengaged. Initial objects and resyncs get a low priority by default. */
  readonly queue: RequestQueue<R>;
  /** The event's cluster; absent for a source that belongs to none. */
  readonly cluster?: Cluster;
}

/**
 * Puts the requests that an event asks for into the queue. One that has to read first may be asynchronous. One
 * that throws or rejects is logged, shown in the fleet status, and called again with backoff: 1 s, doubling up to 5 min. (Upstream: `handler.TypedEventHandler`.)
 */
export interface EventHandler<T extends KubernetesObject, R = Request> {
  (event: ObjectEvent<T>, context: HandlerContext<R>): void | Promise<void>;
  /**
   * Returns the handler for one cluster. A source of a kind calls it before the first event of that cluster, for
   * handlers that need data about it. If it rejects, the source fails and is retried with backoff; the fleet status
   * shows the error, and no event is lost. Default: the handler itself.
   */
  prepare?(cluster: Cluster): Promise<EventHandler<T, R>>;
}
