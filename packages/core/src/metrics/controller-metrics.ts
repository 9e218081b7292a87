import type { ClusterName } from '../multicluster/cluster-name.ts';
import type { QueueItem } from '../workqueue/item.ts';

/*
 * What controllers and their queues tell whoever counts. Nobody does when the metrics are off: then there is no
 * observer, and each call is one comparison.
 */

/** Told of the life of every request in one workqueue. */
export interface WorkQueueMetrics {
  /** `item` waits to be handed out, or still does with another priority. */
  waiting(item: QueueItem<unknown>): void;
  /** A request was added with a delay or with backoff. */
  delayed(): void;
  handedOut(item: QueueItem<unknown>): void;
  /** `item` was given back. */
  done(item: QueueItem<unknown>): void;
  /** `item` was waiting, and never will be handed out: its cluster has left, or the queue is shut down. */
  dropped(item: QueueItem<unknown>): void;
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
