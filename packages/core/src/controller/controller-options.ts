/** Options of a controller, and of all controllers of a manager. Durations are milliseconds. */
export interface ControllerOptions {
  /** How many requests are reconciled at once. Default: 1. */
  readonly maxConcurrentReconciles?: number;
  /** How many of these may belong to one cluster. Default: no limit of its own. */
  readonly maxConcurrentPerCluster?: number;
  /** Deadline for the caches of a newly engaged cluster to sync. Default: 120,000. */
  readonly cacheSyncTimeout?: number;
  /** Aborts `context.signal` of a reconcile that takes longer. Default: none. */
  readonly reconciliationTimeout?: number;
  /** Count a thrown error as a failed reconcile (the default), or stop the manager with it. */
  readonly recoverPanic?: boolean;
}
