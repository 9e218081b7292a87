/* The rate limiters of the namespace `rateLimiters`. */
import type { Clock } from '@mcr/client';
import { backoffDelay, systemClock } from '@mcr/client';
import type { ClusterName } from '../../fleet/multicluster/cluster-name.ts';
import type { RateLimiter } from './rate-limiter.ts';

/** Options of {@link exponentialBackoff}. */
export interface ExponentialBackoffOptions {
  /** Delay after the first failure, in milliseconds. It doubles with each further failure. Default: 5. */
  readonly baseDelay?: number;
  /** Maximum delay, in milliseconds. Default: 1,000,000. */
  readonly maxDelay?: number;
}

/**
 * Returns a rate limiter that doubles the delay of a request with each failure. (Upstream:
 * `ItemExponentialFailureRateLimiter`.)
 */
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

/** Options of {@link tokenBucket}. */
export interface TokenBucketOptions {
  /** Retries per second. Default: 10. */
  readonly rate?: number;
  /** Number of retries without a delay. Default: 100. */
  readonly burst?: number;
  /** Default: the system clock. */
  readonly clock?: Clock;
}

/**
 * Returns a rate limiter that bounds the retries per second of each cluster. Each cluster has its own token bucket, so
 * that a failing cluster does not delay retries of others. (Upstream: `BucketRateLimiter`, which has one bucket for
 * all.)
 */
export function tokenBucket({ rate = 10, burst = 100, clock = systemClock }: TokenBucketOptions = {}): RateLimiter {
  /** Number of tokens by cluster. A negative number is the number of retries that wait for a token. */
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

/** Returns a rate limiter with the longest delay of `limiters`. (Upstream: `MaxOfRateLimiter`.) */
export function maxOf(...limiters: readonly RateLimiter[]): RateLimiter {
  return {
    when: (key, clusterName) => Math.max(0, ...limiters.map((limiter) => limiter.when(key, clusterName))),
    attempts: (key, clusterName) => Math.max(0, ...limiters.map((limiter) => limiter.attempts(key, clusterName))),
    forget: (key, clusterName) => limiters.forEach((limiter) => limiter.forget(key, clusterName)),
    dropCluster: (name) => limiters.forEach((limiter) => limiter.dropCluster(name)),
  };
}

/**
 * Returns the default rate limiter of controllers: delays of 5 ms to 1,000 s by failures of the request, and for each
 * cluster at most 10 retries per second with bursts of 100. (Upstream: `DefaultTypedControllerRateLimiter`.)
 */
export function defaultRateLimiter(clock: Clock = systemClock): RateLimiter {
  return maxOf(exponentialBackoff(), tokenBucket({ clock }));
}
