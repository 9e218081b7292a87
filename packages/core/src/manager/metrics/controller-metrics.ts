import type { ClusterName } from '../../fleet/multicluster/cluster-name.ts';

/*
 * Interfaces between controllers and metrics. If metrics are off, there is no observer, and a call costs only a check
 * for `undefined`.
 */

/** A request in a workqueue. One object represents it from its addition until it is done or dropped. */
export interface QueuedRequest {
  readonly priority: number;
}

/** Receives the progress of every request in one workqueue. */
export interface WorkQueueMetrics {
  /** `item` starts to wait, or continues to wait with another priority. */
  waiting(item: QueuedRequest): void;
  /** A request was added with a delay or with backoff. */
  delayed(): void;
  handedOut(item: QueuedRequest): void;
  /** Processing of `item` has ended. */
  done(item: QueuedRequest): void;
  /**
   * `item` was waiting and is removed without being processed: its cluster was disengaged, or the queue was shut down.
   */
  dropped(item: QueuedRequest): void;
}

/** Kind of a failed reconcile. */
export type FailureKind = 'error' | 'terminal' | 'panic' | 'timeout';

/** Result of a reconcile. */
export interface ReconcileMeasurement {
  readonly cluster: ClusterName;
  readonly result: 'success' | 'error' | 'requeue' | 'requeue_after';
  /** Set if the result is `error`. */
  readonly failure?: FailureKind;
  /** In milliseconds. */
  readonly duration: number;
}

/** Receives the start and result of every reconcile of one controller. */
export interface ControllerMetrics {
  readonly queue: WorkQueueMetrics;
  /** Records the option of the same name. */
  maxConcurrentReconciles(count: number): void;
  reconcileStarted(): void;
  /**
   * Called once after each `reconcileStarted`. `measurement` is `undefined` if the reconcile was aborted and does not
   * count.
   */
  reconcileEnded(measurement: ReconcileMeasurement | undefined): void;
}
