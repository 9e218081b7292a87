import type { Clock } from '../clock/clock.ts';
import type { ClientMetrics } from './client-metrics.ts';
import type { TransportRequest } from './transport.ts';
import type { WireResponse } from './wire.ts';

/** Measures the requests of one transport, if metrics are configured. */
export class RequestMeter {
  readonly #metrics: ClientMetrics | undefined;
  readonly #host: string;
  readonly #clock: Clock;

  constructor(metrics: ClientMetrics | undefined, host: string, clock: Clock) {
    this.#metrics = metrics;
    this.#host = host;
    this.#clock = clock;
  }

  async rateLimited({ method }: TransportRequest, wait: Promise<void>): Promise<void> {
    const began = this.#clock.now();
    await wait;
    this.#metrics?.rateLimited({ method, host: this.#host }, this.#clock.now() - began);
  }

  async requested({ method, body = '' }: TransportRequest, received: Promise<WireResponse>): Promise<WireResponse> {
    if (!this.#metrics) return received;
    const began = this.#clock.now();
    let code = '<error>';
    try {
      const response = await received;
      code = String(response.status);
      return response;
    } finally {
      const outcome = { code, duration: this.#clock.now() - began, bytes: Buffer.byteLength(body) };
      this.#metrics.requested({ method, host: this.#host }, outcome);
    }
  }

  /** Returns the function that records the size of a response; `undefined` for a watch. */
  reader({ method, streaming }: TransportRequest): ((bytes: number) => void) | undefined {
    const metrics = streaming ? undefined : this.#metrics;
    return metrics && ((bytes) => metrics.responded({ method, host: this.#host }, bytes));
  }
}
