import type {
  ControllerMetrics,
  ReconcileMeasurement,
  WorkQueueMetrics,
} from '../manager/metrics/controller-metrics.ts';

/** Keeps what the controllers of a test count. */
export class FakeMetrics {
  /** Reconciles that ended; `undefined` for one that was cut short. */
  readonly ended: (ReconcileMeasurement | undefined)[] = [];
  /** How many reconciles are under way. */
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
