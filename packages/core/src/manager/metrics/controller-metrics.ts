import type { ClusterName } from '../../fleet/multicluster/cluster-name.ts';

/*
 * What controllers and their queues tell whoever counts. Nobody does when the metrics are off: then there is no
 * observer, and each call is one comparison.
 */

/** A request in a workqueue. The same object stands for it from its addition to its end. */
export interface QueuedRequest {
  readonly priority: number;
}

/** Receives the progress of every request in one workqueue. */
export interface WorkQueueMetrics {
  /** `item` waits to be handed out, or still does with another priority. */
  waiting(item: QueuedRequest): void;
  /** A request was added with a delay or with backoff. */
  delayed(): void;
  handedOut(item: QueuedRequest): void;
  /** `item` was given back. */
  done(item: QueuedRequest): void;
  /** `item` was waiting, and never will be handed out: its cluster has left, or the queue is shut down. */
  dropped(item: QueuedRequest): void;
}

/** Why a reconcile failed; a failure is of one kind. */
export type FailureKind = 'error' | 'terminal' | 'panic' | 'timeout';

/** How a reconcile ended. */
export interface ReconcileMeasurement {
  readonly cluster: ClusterName;
  readonly result: 'success' | 'error' | 'requeue' | 'requeue_after';
  /** With the result `error`. */
  readonly failure?: FailureKind;
  /** In milliseconds. */
  readonly duration: number;
}

/** Told of every reconcile of one controller. */
export interface ControllerMetrics {
  readonly queue: WorkQueueMetrics;
  /** @param count how many requests are reconciled at once. */
  maxConcurrentReconciles(count: number): void;
  reconcileStarted(): void;
  /** Follows each `reconcileStarted`; without a measurement when the reconcile does not count: it was cut short. */
  reconcileEnded(measurement: ReconcileMeasurement | undefined): void;
}
