import type { ClientMetrics, Clock } from '@mcr/client';
import type * as Prometheus from 'prom-client';
import type { Fleet } from '../../fleet/status/fleet.ts';
import type { ShardingStatus } from '../../sharding/sharding.ts';
import type { ClusterName } from '../../fleet/multicluster/cluster-name.ts';
import { BoundedLabel } from './bounded-label.ts';
import { CacheFigureReader, type MeasuredCache } from './cache-figures.ts';
import type { ControllerMetrics } from './controller-metrics.ts';
import type { Metrics } from './metrics.ts';
import { registerCacheMetrics } from './prometheus-caches.ts';
import { PrometheusClient, REQUEST_BUCKETS, SIZE_BUCKETS } from './prometheus-client.ts';
import { PrometheusController } from './prometheus-controller.ts';
import type { NewGauge } from './prometheus-fleet.ts';
import { registerFleetMetrics } from './prometheus-fleet.ts';
import { registerShardMetrics } from './prometheus-shards.ts';
import { registerWebhookMetrics } from './prometheus-webhooks.ts';
import { QueueObserver } from './queue-observer.ts';
import type { WebhookMetrics } from './webhook-metrics.ts';

/** In seconds. The same as in controller-runtime, so that its dashboards work. */
const RECONCILE_BUCKETS = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75, 2,
  2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];

/** In seconds, 10 ns to 1,000 s. The same as in client-go's workqueue. */
const QUEUE_BUCKETS = Array.from({ length: 12 }, (_, power) => 10 ** (power - 8));

export interface PrometheusMetricsOptions {
  readonly clock: Clock;
  /** Maximum number of values of the label `cluster`, and of `host`. */
  readonly maxClusterLabels: number;
}

/** Metrics of one manager, in its own registry. `docs/metrics.md` lists them. */
export class PrometheusMetrics implements Metrics {
  readonly registry: Prometheus.Registry;
  readonly client: ClientMetrics;
  readonly #prometheus: typeof Prometheus;
  readonly #clock: Clock;
  readonly #maxClusterLabels: number;
  readonly #clusterLabel: BoundedLabel;
  readonly #controllers = new Map<
    string,
    { readonly controller: PrometheusController; readonly queue: QueueObserver }
  >();
  readonly #reconciles;
  readonly #workqueue;
  readonly #unreachable;
  readonly #parked;
  #webhooks: WebhookMetrics | undefined;

  private constructor(prometheus: typeof Prometheus, { clock, maxClusterLabels }: PrometheusMetricsOptions) {
    this.#prometheus = prometheus;
    this.registry = new prometheus.Registry();
    this.#clock = clock;
    this.#maxClusterLabels = maxClusterLabels;
    this.#clusterLabel = new BoundedLabel(maxClusterLabels);
    this.client = this.#clientMetrics(new BoundedLabel(maxClusterLabels));
    this.#reconciles = this.#reconcileMetrics();
    this.#workqueue = this.#workqueueMetrics();
    this.#unreachable = this.#counter(
      'mcr_fleet_unreachable_total',
      'Total number of times an engaged cluster became unreachable.',
      ['cluster'],
    );
    this.#parked = this.#counter(
      'mcr_fleet_parked_total',
      'Total number of times a cluster was parked because it did not answer.',
      ['cluster'],
    );
  }

  /** Loads prom-client on demand, to keep the import of this package fast. */
  static async create(options: PrometheusMetricsOptions): Promise<PrometheusMetrics> {
    return new PrometheusMetrics(await import('prom-client'), options);
  }

  controller(name: string): ControllerMetrics {
    const labels = { name, controller: name };
    const { adds, retries, waited, worked } = this.#workqueue;
    const [added, delayed] = [adds.labels(labels), retries.labels(labels)];
    const [waiting, working] = [waited.labels(labels), worked.labels(labels)];
    added.inc(0);
    delayed.inc(0);
    const queue = new QueueObserver({
      clock: this.#clock,
      onAdded: () => added.inc(),
      onDelayed: () => delayed.inc(),
      onHandedOut: (milliseconds) => waiting.observe(milliseconds / 1_000),
      onDone: (milliseconds) => working.observe(milliseconds / 1_000),
    });
    const controller = new PrometheusController({
      name,
      queue,
      clusterLabel: this.#clusterLabel,
      ...this.#reconciles,
    });
    this.#controllers.set(name, { controller, queue });
    return controller;
  }

  fleet(fleet: Pick<Fleet, 'list'>): void {
    const gauge: NewGauge = (...definition) => this.#gauge(...definition);
    registerFleetMetrics(fleet, { gauge, clusterLabel: this.#clusterLabel, clock: this.#clock });
  }

  caches(caches: () => Iterable<MeasuredCache>): void {
    registerCacheMetrics(new CacheFigureReader(caches, this.#maxClusterLabels), {
      gauge: (...definition) => this.#gauge(...definition),
      counter: (...definition) => this.#counter(...definition),
    });
  }

  clusterUnreachable(cluster: ClusterName): void {
    this.#unreachable.inc({ cluster: this.#clusterLabel.of(cluster) });
  }

  clusterParked(cluster: ClusterName): void {
    this.#parked.inc({ cluster: this.#clusterLabel.of(cluster) });
  }

  leaderElection(id: string, isLeader: () => boolean): void {
    const status: Prometheus.Gauge = this.#gauge(
      'leader_election_master_status',
      'Whether this process leads (1) or not (0).',
      ['name'],
      () => status.set({ name: id }, isLeader() ? 1 : 0),
    );
  }

  sharding(status: () => ShardingStatus): void {
    registerShardMetrics(status, {
      gauge: (...definition) => this.#gauge(...definition),
      counter: (...definition) => this.#counter(...definition),
    });
  }

  webhooks(): WebhookMetrics {
    this.#webhooks ??= registerWebhookMetrics({
      gauge: (...definition) => this.#gauge(...definition),
      counter: (...definition) => this.#counter(...definition),
      histogram: (definition) => new this.#prometheus.Histogram({ ...definition, registers: [this.registry] }),
    });
    return this.#webhooks;
  }

  #clientMetrics(hostLabel: BoundedLabel): ClientMetrics {
    const labelNames = ['verb', 'host'];
    const histogram = (name: string, help: string, buckets: number[]) =>
      new this.#prometheus.Histogram({ name, help, labelNames, buckets, registers: [this.registry] });
    return new PrometheusClient({
      hostLabel,
      requests: this.#counter(
        'rest_client_requests_total',
        'Total number of requests to API servers, counting each attempt, by status code, method and host.',
        ['code', 'method', 'host'],
      ),
      retries: this.#counter(
        'rest_client_request_retries_total',
        'Total number of retries of requests to API servers, by status code, verb and host.',
        ['code', ...labelNames],
      ),
      duration: histogram(
        'rest_client_request_duration_seconds',
        'Time in seconds until the response headers arrive, for each attempt, by verb and host.',
        REQUEST_BUCKETS,
      ),
      requestSize: histogram(
        'rest_client_request_size_bytes',
        'Size of request bodies in bytes, by verb and host.',
        SIZE_BUCKETS,
      ),
      responseSize: histogram(
        'rest_client_response_size_bytes',
        'Size of response bodies in bytes, by verb and host.',
        SIZE_BUCKETS,
      ),
      rateLimited: histogram(
        'rest_client_rate_limiter_duration_seconds',
        'Time in seconds that requests wait for the rate limiter of the client, by verb and host.',
        REQUEST_BUCKETS,
      ),
    });
  }

  #reconcileMetrics() {
    const labelNames = ['controller', 'cluster'];
    const counter = (name: string, help: string, more: readonly string[] = []) =>
      this.#counter(`controller_runtime_${name}`, help, [...labelNames, ...more]);
    const active: Prometheus.Gauge = this.#gauge(
      'controller_runtime_active_workers',
      'Number of workers that are reconciling, by controller.',
      ['controller'],
      () => {
        for (const [name, { controller }] of this.#controllers) active.set({ controller: name }, controller.active);
      },
    );
    return {
      total: counter('reconcile_total', 'Total number of reconciliations by controller, cluster and result.', [
        'result',
      ]),
      failures: {
        error: counter('reconcile_errors_total', 'Total number of failed reconciliations by controller and cluster.'),
        terminal: counter(
          'terminal_reconcile_errors_total',
          'Total number of terminal reconciliation errors by controller and cluster.',
        ),
        panic: counter('reconcile_panics_total', 'Total number of reconciler panics by controller and cluster.'),
        timeout: counter(
          'reconcile_timeouts_total',
          'Total number of reconciliations that exceeded reconciliationTimeout, by controller and cluster.',
        ),
      },
      time: new this.#prometheus.Histogram({
        name: 'controller_runtime_reconcile_time_seconds',
        help: 'Length of time per reconciliation in seconds, by controller.',
        labelNames: ['controller'],
        buckets: RECONCILE_BUCKETS,
        registers: [this.registry],
      }),
      maxConcurrent: this.#gauge(
        'controller_runtime_max_concurrent_reconciles',
        'Maximum number of concurrent reconciles, by controller.',
        ['controller'],
      ),
    };
  }

  #workqueueMetrics() {
    const labelNames = ['name', 'controller'];
    const histogram = (name: string, help: string) =>
      new this.#prometheus.Histogram({ name, help, labelNames, buckets: QUEUE_BUCKETS, registers: [this.registry] });
    const gauge = (name: string, help: string, valueOf: (queue: QueueObserver) => number) => {
      const metric: Prometheus.Gauge = this.#gauge(name, help, labelNames, () => {
        for (const [controller, { queue }] of this.#controllers)
          metric.set({ name: controller, controller }, valueOf(queue));
      });
    };
    const depth: Prometheus.Gauge = this.#gauge(
      'workqueue_depth',
      'Number of waiting requests by controller and priority.',
      [...labelNames, 'priority'],
      () => {
        for (const [controller, { queue }] of this.#controllers) {
          for (const [priority, count] of queue.depths) depth.set({ name: controller, controller, priority }, count);
        }
      },
    );
    const seconds = (unfinished: readonly number[], combine: (a: number, b: number) => number) =>
      unfinished.reduce(combine, 0) / 1_000;
    gauge(
      'workqueue_unfinished_work_seconds',
      'Total time in seconds for which the requests in progress have been processed so far, by controller.',
      (queue) => seconds(queue.unfinished(), (a, b) => a + b),
    );
    gauge(
      'workqueue_longest_running_processor_seconds',
      'Longest time in seconds for which a request in progress has been processed so far, by controller.',
      (queue) => seconds(queue.unfinished(), (a, b) => Math.max(a, b)),
    );
    return {
      adds: this.#counter(
        'workqueue_adds_total',
        'Total number of requests added to the workqueue, by controller.',
        labelNames,
      ),
      retries: this.#counter(
        'workqueue_retries_total',
        'Total number of requests added with a delay or backoff, by controller.',
        labelNames,
      ),
      waited: histogram(
        'workqueue_queue_duration_seconds',
        'Time in seconds that requests wait in the workqueue, by controller.',
      ),
      worked: histogram(
        'workqueue_work_duration_seconds',
        'Time in seconds that requests are processed, by controller.',
      ),
    };
  }

  /** @param collect called when the metrics are read. */
  #counter(name: string, help: string, labelNames: readonly string[], collect?: () => void): Prometheus.Counter {
    return new this.#prometheus.Counter({
      name,
      help,
      labelNames,
      registers: [this.registry],
      ...(collect && { collect }),
    });
  }

  /** @param collect called when the metrics are read. */
  #gauge(name: string, help: string, labelNames: readonly string[], collect?: () => void): Prometheus.Gauge {
    return new this.#prometheus.Gauge({
      name,
      help,
      labelNames,
      registers: [this.registry],
      ...(collect && { collect }),
    });
  }
}
