import type { Counter, Gauge, Histogram, HistogramConfiguration } from 'prom-client';
import type { WebhookMetrics } from './webhook-metrics.ts';

/** In seconds. API servers wait for at most 30 s. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export interface WebhookMetricsOptions {
  readonly gauge: (name: string, help: string, labelNames: readonly string[]) => Gauge;
  readonly counter: (name: string, help: string, labelNames: readonly string[]) => Counter;
  readonly histogram: (definition: HistogramConfiguration<string>) => Histogram;
}

/** Registers the metrics of webhooks, under the names of controller-runtime. */
export function registerWebhookMetrics({ gauge, counter, histogram }: WebhookMetricsOptions): WebhookMetrics {
  const labelNames = ['webhook'];
  const requests = counter(
    'controller_runtime_webhook_requests_total',
    'Total number of requests to webhooks, by webhook and status code.',
    [...labelNames, 'code'],
  );
  const inFlight = gauge(
    'controller_runtime_webhook_requests_in_flight',
    'Number of requests that webhooks are processing, by webhook.',
    labelNames,
  );
  const panics = counter(
    'controller_runtime_webhook_panics_total',
    'Total number of requests whose handler threw, by webhook.',
    labelNames,
  );
  const latency = histogram({
    name: 'controller_runtime_webhook_latency_seconds',
    help: 'Time in seconds until a webhook has answered, by webhook.',
    labelNames,
    buckets: BUCKETS,
  });
  return {
    registered: (webhook) => {
      for (const code of ['200', '500']) requests.inc({ webhook, code }, 0);
      inFlight.inc({ webhook }, 0);
      panics.inc({ webhook }, 0);
    },
    requestStarted: (webhook) => inFlight.inc({ webhook }),
    requestEnded: (webhook, { code, duration }) => {
      inFlight.dec({ webhook });
      requests.inc({ webhook, code: String(code) });
      latency.observe({ webhook }, duration / 1_000);
    },
    panicked: (webhook) => panics.inc({ webhook }),
  };
}
