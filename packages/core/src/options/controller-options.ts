import { positiveMilliseconds } from '@mcr/client';
import { z } from 'zod';

/** Options of a controller, and of all controllers of a manager. Durations are milliseconds. */
export interface ControllerOptions {
  /** How many requests are reconciled at once. Default: 1. */
  readonly maxConcurrentReconciles?: number;
  /**
   * How many of these may belong to one cluster. Default: half of them, and at least one, while the controller has more
   * than one cluster; no limit with `fairness: 'none'`.
   */
  readonly maxConcurrentPerCluster?: number;
  /**
   * `cluster`: within a priority the clusters take turns. `none`: first in, first out, whatever the cluster; not together
   * with `maxConcurrentPerCluster`. Default: `cluster`.
   */
  readonly fairness?: 'cluster' | 'none';
  /** Whether requests of a higher priority are reconciled first. Default: true. */
  readonly priorityQueue?: boolean;
  /** Deadline for the caches of a newly engaged cluster to sync. Default: 120,000. */
  readonly cacheSyncTimeout?: number;
  /** Aborts `context.signal` of a reconcile that takes longer. Default: none. */
  readonly reconciliationTimeout?: number;
  /**
   * What follows when a reconcile fails by a mistake in the program (see `isPanic`): count it and try again (the
   * default), or stop the manager with it. Other errors are always tried again.
   */
  readonly recoverPanic?: boolean;
  /** Whether it runs only in the process that leads. Default: true. */
  readonly needLeaderElection?: boolean;
  /**
   * Starts the sources before this process leads, so that a new leader has everything in its caches and queue; workers
   * wait for the lead. Default: false.
   */
  readonly enableWarmup?: boolean;
}

/** What every controller of a manager takes unless it says otherwise. (Upstream: `config.Controller`.) */
export interface ControllerDefaults extends ControllerOptions {
  /**
   * `maxConcurrentReconciles` of the controllers `for` a kind, by `<Kind>.<group>`, or `<Kind>` in the core group:
   * `{ 'Deployment.apps': 10, ConfigMap: 2 }`.
   */
  readonly groupKindConcurrency?: Readonly<Record<string, number>>;
}

const count = z.int().positive();

/** Checks {@link ControllerOptions}; options that it does not know are refused. */
export const controllerOptionsSchema = z.strictObject({
  maxConcurrentReconciles: count.exactOptional(),
  maxConcurrentPerCluster: count.exactOptional(),
  fairness: z.enum(['cluster', 'none']).exactOptional(),
  priorityQueue: z.boolean().exactOptional(),
  cacheSyncTimeout: positiveMilliseconds.exactOptional(),
  reconciliationTimeout: positiveMilliseconds.exactOptional(),
  recoverPanic: z.boolean().exactOptional(),
  needLeaderElection: z.boolean().exactOptional(),
  enableWarmup: z.boolean().exactOptional(),
}) satisfies z.ZodType<ControllerOptions>;

/** Checks {@link ControllerDefaults}. */
export const controllerDefaultsSchema = controllerOptionsSchema.extend({
  groupKindConcurrency: z.record(z.string(), count).exactOptional(),
}) satisfies z.ZodType<ControllerDefaults>;
