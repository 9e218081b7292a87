import type { Logger } from '@mcr/client';
import { parseOptions, Shard } from '@mcr/client';
import * as z from 'zod';
import type { Manager } from '../manager/manager.ts';
import type { Reconciler } from './reconcile/reconciler.ts';
import type { ReconcileRequest, RequestTypeOption } from './reconcile/request.ts';
import { resolveRequestType } from './reconcile/request.ts';
import type { RateLimiter } from './workqueue/rate-limiter.ts';
import type { ControllerOptions } from '../options/controller-options.ts';
import { controllerOptionsSchema } from '../options/controller-options.ts';
import type { ShardBy } from './sharded/shard-by.ts';
import { QueueController } from './queue-controller.ts';
import type { Controller } from './controller.ts';

/** Options of {@link createController}. (Upstream: `mccontroller.Options`.) */
export type CreateControllerOptions<R> = ControllerOptions &
  RequestTypeOption<R> & {
    readonly reconciler: Reconciler<R>;
    /** Delays retries. It must not be shared with other controllers. Default: `rateLimiters.defaultRateLimiter()`. */
    readonly rateLimiter?: RateLimiter;
    /**
     * With the manager's option `sharding`, how the requests for the local cluster are divided among the replicas. Default:
     * one replica, the owner of the local cluster, reconciles all of them.
     */
    readonly shardBy?: ShardBy<R>;
    /** Logger of the controller and its reconciles. Default: the logger of the manager. */
    readonly logger?: Logger;
  };

/**
 * Creates a controller. Add sources with `watch`, and pass it to `manager.add`. The manager's `controllerOptions` are
 * the defaults of its options. (Upstream: `mccontroller.NewUnmanaged`.)
 *
 * @param name name in logs, metrics and the fleet status, unique within the manager.
 * @throws {TypeError} if the name is in use, or an option is unknown or invalid.
 */
export function createController<R = ReconcileRequest>(
  name: string,
  manager: Manager,
  options: CreateControllerOptions<R>,
): Controller<R> {
  parseOptions(`controller ${JSON.stringify(name)}`, optionsSchema, options);
  if (name === '') throw new TypeError('createController: expected a name, found an empty string');
  manager.claimControllerName(name);
  const { groupKindConcurrency: _ofTheBuilder, ...defaults } = manager.controllerOptions;
  const { reconciler } = options;
  return new QueueController(name, manager, {
    maxConcurrentReconciles: 1,
    cacheSyncTimeout: 120_000,
    recoverPanic: true,
    logger: manager.logger,
    ...defaults,
    ...options,
    requestType: resolveRequestType<R>(options),
    reconcile:
      typeof reconciler === 'function' ? reconciler : (request, context) => reconciler.reconcile(request, context),
  });
}

const method = z.custom<unknown>((value) => typeof value === 'function', 'expected a function');

const optionsSchema = controllerOptionsSchema.extend({
  reconciler: z.union(
    [method, z.looseObject({ reconcile: method })],
    'expected a function, or an object with `reconcile`',
  ),
  requestType: z.looseObject({ key: method, clusterOf: method, withCluster: method }).exactOptional(),
  rateLimiter: z.looseObject({ when: method, attempts: method, forget: method, dropCluster: method }).exactOptional(),
  shardBy: z
    .union(
      [z.enum(['uid', 'namespace']), z.instanceof(Shard), method],
      'expected "uid", "namespace", a Shard, or a function that returns the key of a request',
    )
    .exactOptional(),
  logger: z.looseObject({ child: method }).exactOptional(),
});
