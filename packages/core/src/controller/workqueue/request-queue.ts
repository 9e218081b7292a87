import type { ClusterName } from '../../fleet/multicluster/cluster-name.ts';

/** Options of {@link RequestQueue.add}. (Upstream: `priorityqueue.AddOpts`.) */
export interface AddOptions {
  /** Delay in milliseconds, or `'backoff'` for the delay of the rate limiter. Default: 0. */
  readonly after?: number | 'backoff';
  /** Requests with higher priorities are handed out first. Default: 0. */
  readonly priority?: number;
  /**
   * Cluster whose event causes the request. Requests for the local cluster that other clusters cause take turns by these
   * clusters, so that a busy one does not delay the requests of others. Handlers of a watch need not set it. Default: the
   * cluster of the event or, without an event, of the request.
   */
  readonly cause?: ClusterName;
}

/** The producer's side of a workqueue. */
export interface RequestQueue<R> {
  /**
   * Adds a request. If its key is pending, the requests are merged, with the higher priority and the earlier time. If
   * its key is being processed, it is handed out again afterwards.
   *
   * @throws {RangeError} if an option is not a number.
   * @throws {TypeError} if the request has no cluster.
   */
  add(request: R, options?: AddOptions): void;
  /**
   * Receives the requests for events of deletions. The queue of a sharded controller keeps those that it drops for a
   * while, because no later event follows. Default: this queue.
   */
  readonly deletions?: RequestQueue<R>;
}
