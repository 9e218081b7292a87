import type { Logger } from '@mcr/client';
import type { ControllerOptions } from '../options/controller-options.ts';
import type { ReconcileFunction } from './reconcile/reconciler.ts';
import type { RequestType } from './reconcile/request.ts';
import type { ShardBy } from './sharded/shard-by.ts';
import type { RateLimiter } from './workqueue/rate-limiter.ts';

type Defaulted = 'maxConcurrentReconciles' | 'cacheSyncTimeout' | 'recoverPanic';

/** Options of a controller with all defaults applied. */
export interface QueueControllerOptions<R>
  extends Required<Pick<ControllerOptions, Defaulted>>, Omit<ControllerOptions, Defaulted> {
  readonly reconcile: ReconcileFunction<R>;
  readonly requestType: RequestType<R>;
  readonly rateLimiter?: RateLimiter;
  readonly shardBy?: ShardBy<R>;
  readonly logger: Logger;
}
