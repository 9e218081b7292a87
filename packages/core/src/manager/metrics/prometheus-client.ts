import type { ClientMetrics, MeasuredRequest } from '@mcr/client';
import type { Counter, Histogram } from 'prom-client';
import type { BoundedLabel } from './bounded-label.ts';

/** In seconds. The same as in Kubernetes' component-base, so that its dashboards work. */
export const REQUEST_BUCKETS: number[] = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];

/** In bytes, 64 B to 16 MiB. The same as in component-base. */
export const SIZE_BUCKETS: number[] = [64, 256, 512, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216];

export interface PrometheusClientOptions {
  readonly hostLabel: BoundedLabel;
  readonly requests: Counter;
  readonly retries: Counter;
  readonly duration: Histogram;
  readonly requestSize: Histogram;
  readonly responseSize: Histogram;
  readonly rateLimited: Histogram;
}

/** Counts the requests to the API servers of all clusters. */
export class PrometheusClient implements ClientMetrics {
  readonly #options: PrometheusClientOptions;

  constructor(options: PrometheusClientOptions) {
    this.#options = options;
  }

  requested(request: MeasuredRequest, outcome: Parameters<ClientMetrics['requested']>[1]): void {
    const labels = this.#labels(request);
    this.#options.requests.inc({ code: outcome.code, method: request.method, host: labels.host });
    this.#options.duration.observe(labels, outcome.duration / 1_000);
    this.#options.requestSize.observe(labels, outcome.bytes);
  }

  responded(request: MeasuredRequest, bytes: number): void {
    this.#options.responseSize.observe(this.#labels(request), bytes);
  }

  rateLimited(request: MeasuredRequest, delay: number): void {
    this.#options.rateLimited.observe(this.#labels(request), delay / 1_000);
  }

  retried(request: MeasuredRequest, code: string): void {
    this.#options.retries.inc({ code, ...this.#labels(request) });
  }

  /** Returns the labels. The label `verb` is the HTTP method, as in client-go. */
  #labels({ method, host }: MeasuredRequest): { readonly verb: string; readonly host: string } {
    return { verb: method, host: this.#options.hostLabel.of(host) };
  }
}
