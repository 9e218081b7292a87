import type { Counter, Gauge, Histogram } from 'prom-client';
import type { BoundedLabel } from './bounded-label.ts';
import type { ControllerMetrics, FailureKind, ReconcileMeasurement, WorkQueueMetrics } from './controller-metrics.ts';

export interface PrometheusControllerOptions {
  readonly name: string;
  readonly queue: WorkQueueMetrics;
  readonly clusterLabel: BoundedLabel;
  readonly total: Counter;
  /** `error` counts all failures, each of the others one kind. */
  readonly failures: Readonly<Record<FailureKind, Counter>>;
  readonly time: Histogram;
  readonly maxConcurrent: Gauge;
}

const RESULTS: readonly ReconcileMeasurement['result'][] = ['success', 'error', 'requeue', 'requeue_after'];

/** Counts the reconciles of one controller. */
export class PrometheusController implements ControllerMetrics {
  readonly queue: WorkQueueMetrics;
  readonly #options: PrometheusControllerOptions;
  readonly #time: Histogram.Internal<string>;
  /** Values of the label `cluster` whose counters exist. */
  readonly #counted = new Set<string>();
  /** Number of reconciles in progress. */
  active = 0;

  constructor(options: PrometheusControllerOptions) {
    this.#options = options;
    this.queue = options.queue;
    this.#time = options.time.labels({ controller: options.name });
  }

  maxConcurrentReconciles(count: number): void {
    const { name: controller, maxConcurrent } = this.#options;
    maxConcurrent.set({ controller }, count);
  }

  reconcileStarted(): void {
    this.active += 1;
  }

  reconcileEnded(measurement: ReconcileMeasurement | undefined): void {
    this.active -= 1;
    if (!measurement) return;
    const { total, failures, clusterLabel } = this.#options;
    const labels = { controller: this.#options.name, cluster: clusterLabel.of(measurement.cluster) };
    this.#begin(labels);
    this.#time.observe(measurement.duration / 1_000);
    total.inc({ ...labels, result: measurement.result });
    const { failure } = measurement;
    if (!failure) return;
    failures.error.inc(labels);
    if (failure !== 'error') failures[failure].inc(labels);
  }

  /** Starts counters at 0, so that a rate includes the first failure. */
  #begin(labels: { readonly controller: string; readonly cluster: string }): void {
    if (this.#counted.has(labels.cluster)) return;
    this.#counted.add(labels.cluster);
    for (const result of RESULTS) this.#options.total.inc({ ...labels, result }, 0);
    for (const counter of Object.values(this.#options.failures)) counter.inc(labels, 0);
  }
}
