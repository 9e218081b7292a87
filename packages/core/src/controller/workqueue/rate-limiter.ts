import type { Clock } from '@mcr/client';
import { backoffDelay, systemClock } from '@mcr/client';
import type { ClusterName } from '../../fleet/multicluster/cluster-name.ts';

/**
 * Decides how long a failed request waits before it is tried again. It keeps what it knows by cluster, so that one
 * cluster's failures leave with the cluster; a `key` names a request within its cluster. (Upstream: `workqueue.RateLimiter`.)
 */
export interface RateLimiter {
  /** Counts a failure of `key`; the milliseconds to wait before the next try. */
  when(key: string, clusterName: ClusterName): number;
  /** How often `key` has failed since it was last forgotten. (Upstream: `NumRequeues`.) */
  attempts(key: string, clusterName: ClusterName): number;
  /** The request succeeded, or is given up: its failures no longer count. */
  forget(key: string, clusterName: ClusterName): void;
  /** Forgets everything of a cluster. */
  dropCluster(name: ClusterName): void;
}

export interface ExponentialBackoffOptions {
  /** The wait after the first failure, in milliseconds; each further one doubles it. Default: 5. */
  readonly baseDelay?: number;
  /** The longest wait, in milliseconds. Default: 1,000,000. */
  readonly maxDelay?: number;
}

/** Doubles the wait of a request with each of its failures. (Upstream: `ItemExponentialFailureRateLimiter`.) */
export function exponentialBackoff(options: ExponentialBackoffOptions = {}): RateLimiter {
  const { baseDelay = 5, maxDelay = 1_000_000 } = options;
  const policy = { base: baseDelay, max: maxDelay, jitter: 0 };
  const failures = new Map<ClusterName, Map<string, number>>();
  const attempts = (key: string, clusterName: ClusterName) => failures.get(clusterName)?.get(key) ?? 0;
  return {
    when(key, clusterName) {
      const before = attempts(key, clusterName);
      let ofCluster = failures.get(clusterName);
      if (!ofCluster) failures.set(clusterName, (ofCluster = new Map<string, number>()));
      ofCluster.set(key, before + 1);
      return backoffDelay(policy, before + 1);
    },
    attempts,
    forget(key, clusterName) {
      const ofCluster = failures.get(clusterName);
      if (ofCluster?.delete(key) && ofCluster.size === 0) failures.delete(clusterName);
    },
    dropCluster: (name) => void failures.delete(name),
  };
}

export interface TokenBucketOptions {
  /** Retries per second. Default: 10. */
  readonly rate?: number;
  /** Retries that may come at once. Default: 100. */
  readonly burst?: number;
  /** Default: the system's. */
  readonly clock?: Clock;
}

/**
 * Bounds the retries of each cluster per second. Every cluster has a bucket of its own, so that one whose requests all
 * fail does not use up the retries of the others. (Upstream, with one bucket for all: `BucketRateLimiter`.)
 */
export function tokenBucket({ rate = 10, burst = 100, clock = systemClock }: TokenBucketOptions = {}): RateLimiter {
  /** Below zero: tokens of the future that are promised already. */
  const buckets = new Map<ClusterName, { tokens: number; at: number }>();
  return {
    when(_key, clusterName) {
      const now = clock.now();
      const { tokens, at } = buckets.get(clusterName) ?? { tokens: burst, at: now };
      const left = Math.min(burst, tokens + ((now - at) / 1000) * rate) - 1;
      buckets.set(clusterName, { tokens: left, at: now });
      return left < 0 ? (-left / rate) * 1000 : 0;
    },
    attempts: () => 0,
    forget: () => undefined,
    dropCluster: (name) => void buckets.delete(name),
  };
}

/** Waits as long as the strictest of `limiters` says. (Upstream: `MaxOfRateLimiter`.) */
export function maxOf(...limiters: readonly RateLimiter[]): RateLimiter {
  return {
    when: (key, clusterName) => Math.max(0, ...limiters.map((limiter) => limiter.when(key, clusterName))),
    attempts: (key, clusterName) => Math.max(0, ...limiters.map((limiter) => limiter.attempts(key, clusterName))),
    forget: (key, clusterName) => limiters.forEach((limiter) => limiter.forget(key, clusterName)),
    dropCluster: (name) => limiters.forEach((limiter) => limiter.dropCluster(name)),
  };
}

/**
 * What a controller has unless it says otherwise: 5 ms to 1,000 s by failures of the request, and at most 10 retries
 * per second, 100 at once, of each cluster. (Upstream: `DefaultTypedControllerRateLimiter`.)
 */
export function defaultRateLimiter(clock: Clock = systemClock): RateLimiter {
  return maxOf(exponentialBackoff(), tokenBucket({ clock }));
}
