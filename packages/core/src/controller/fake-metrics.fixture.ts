import type {
  ControllerMetrics,
  ReconcileMeasurement,
  WorkQueueMetrics,
} from '../manager/metrics/controller-metrics.ts';

/** Records the measurements of the controllers of a test. */
export class FakeMetrics {
  /** Reconciles that ended; `undefined` for one that was cut short. */
  readonly ended: (ReconcileMeasurement | undefined)[] = [];
  /** Number of reconciles in progress. */
  active = 0;

  controller(): ControllerMetrics {
    const nothing = () => undefined;
    const queue: WorkQueueMetrics = {
      waiting: nothing,
      delayed: nothing,
      handedOut: nothing,
      done: nothing,
      dropped: nothing,
    };
    return {
      queue,
      maxConcurrentReconciles: nothing,
      reconcileStarted: () => void (this.active += 1),
      reconcileEnded: (measurement) => {
        this.active -= 1;
        this.ended.push(measurement);
      },
    };
  }
}
