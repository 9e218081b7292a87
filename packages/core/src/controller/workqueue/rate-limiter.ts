import type { ClusterName } from '../../fleet/multicluster/cluster-name.ts';

/**
 * Decides how long a failed request waits before its retry. Its state is separate for each cluster, so that it can be
 * dropped with the cluster. A `key` identifies a request within its cluster. (Upstream: `workqueue.RateLimiter`.)
 */
export interface RateLimiter {
  /** Counts a failure of `key`, and returns the delay before the next attempt, in milliseconds. */
  when(key: string, clusterName: ClusterName): number;
  /** Returns the number of failures of `key` since it was last forgotten. (Upstream: `NumRequeues`.) */
  attempts(key: string, clusterName: ClusterName): number;
  /** Resets the failures of a request that succeeded or is not retried. */
  forget(key: string, clusterName: ClusterName): void;
  /** Drops the state of a cluster. */
  dropCluster(name: ClusterName): void;
}
