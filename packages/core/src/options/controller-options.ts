import { positiveMilliseconds } from '@mcr/client';
import * as z from 'zod';

/** Options of a controller, or of all controllers of a manager. Durations are in milliseconds. */
export interface ControllerOptions {
  /** Maximum number of concurrent reconciles. Default: 1. */
  readonly maxConcurrentReconciles?: number;
  /**
   * Maximum number of concurrent reconciles for one cluster. Default: half of `maxConcurrentReconciles`, but at least
   * one, while the controller has more than one cluster. No limit with `fairness: 'none'`.
   */
  readonly maxConcurrentPerCluster?: number;
  /**
   * With `cluster`, clusters take turns within a priority. With `none`, requests are first in, first out, independent
   * of their clusters; it cannot be combined with `maxConcurrentPerCluster`. Default: `cluster`.
   */
  readonly fairness?: 'cluster' | 'none';
  /** Whether requests of a higher priority are reconciled first. Default: true. */
  readonly priorityQueue?: boolean;
  /** Deadline for the caches of a newly engaged cluster to sync. Default: 120,000. */
  readonly cacheSyncTimeout?: number;
  /** Aborts `context.signal` of a reconcile that takes longer. Default: none. */
  readonly reconciliationTimeout?: number;
  /**
   * Whether a panic of the reconciler (see `isPanic`) is counted and retried. With `false`, it stops the manager. Other
   * errors are always retried. Default: true.
   */
  readonly recoverPanic?: boolean;
  /**
   * Whether the controller runs only in the process that leads. Default: true, but false if the manager has the option
   * `sharding`.
   */
  readonly needLeaderElection?: boolean;
  /**
   * With the manager's option `sharding`, whether the controller reconciles only requests of clusters that this process
   * owns. `false` is for controllers that only read. Default: true, but false with `needLeaderElection: true`, which it
   * cannot be combined with.
   */
  readonly sharded?: boolean;
  /**
   * Whether to start the sources before this process leads, so that a new leader has filled caches and a filled queue.
   * Workers still wait for leadership. Default: false.
   */
  readonly enableWarmup?: boolean;
}

/** Defaults of the options of every controller of a manager. (Upstream: `config.Controller`.) */
export interface ControllerDefaults extends ControllerOptions {
  /**
   * `maxConcurrentReconciles` of controllers by the kind of `for`, as `<Kind>.<group>`, or `<Kind>` for the core group:
   * `{ 'Deployment.apps': 10, ConfigMap: 2 }`.
   */
  readonly groupKindConcurrency?: Readonly<Record<string, number>>;
}

const count = z.int().positive();

/** Validates {@link ControllerOptions}, and refuses unknown options. */
export const controllerOptionsSchema = z.strictObject({
  maxConcurrentReconciles: count.exactOptional(),
  maxConcurrentPerCluster: count.exactOptional(),
  fairness: z.enum(['cluster', 'none']).exactOptional(),
  priorityQueue: z.boolean().exactOptional(),
  cacheSyncTimeout: positiveMilliseconds.exactOptional(),
  reconciliationTimeout: positiveMilliseconds.exactOptional(),
  recoverPanic: z.boolean().exactOptional(),
  needLeaderElection: z.boolean().exactOptional(),
  sharded: z.boolean().exactOptional(),
  enableWarmup: z.boolean().exactOptional(),
}) satisfies z.ZodType<ControllerOptions>;

/** Validates {@link ControllerDefaults}. */
export const controllerDefaultsSchema = controllerOptionsSchema.extend({
  groupKindConcurrency: z.record(z.string(), count).exactOptional(),
}) satisfies z.ZodType<ControllerDefaults>;
