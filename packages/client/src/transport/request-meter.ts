import type { Clock } from '../clock/clock.ts';
import type { ClientMetrics } from './client-metrics.ts';
import type { TransportRequest } from './transport.ts';
import type { WireResponse } from './wire.ts';

/** Measures the requests of one transport, if anybody counts. */
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

  async requested({ method, body = '' }: TransportRequest, answer: Promise<WireResponse>): Promise<WireResponse> {
    if (!this.#metrics) return answer;
    const began = this.#clock.now();
    let code = '<error>';
    try {
      const response = await answer;
      code = String(response.status);
      return response;
    } finally {
      const outcome = { code, duration: this.#clock.now() - began, bytes: Buffer.byteLength(body) };
      this.#metrics.requested({ method, host: this.#host }, outcome);
    }
  }

  /** What is to be told of the size of the response to a request; a watch has none. */
  reader({ method, streaming }: TransportRequest): ((bytes: number) => void) | undefined {
    const metrics = streaming ? undefined : this.#metrics;
    return metrics && ((bytes) => metrics.responded({ method, host: this.#host }, bytes));
  }
}
