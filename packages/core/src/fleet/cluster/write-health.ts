import type { Clock, Transport, TransportRequest, TransportResponse } from '@mcr/client';
import { delegatingTransport, isTransportError } from '@mcr/client';
import { isClusterIsolated } from '../isolation/cluster-isolated-error.ts';
import { observedResponse } from '../isolation/observed-response.ts';

/**
 * Number of consecutive failed writes that count as a problem. Fewer can have another cause, such as the slow admission
 * webhook of one kind.
 */
const MIN_FAILURES = 3;
/** Age from which failed writes no longer count, so that only health checks decide, in milliseconds. */
const LIFETIME = 120_000;
/** Statuses that report a failed storage. Not 500, which failing admission webhooks cause. */
const STORAGE_FAILURES: ReadonlySet<number> = new Set([503, 504]);

/**
 * Tracks whether a cluster accepts writes. A server whose storage has lost its quorum may still serve reads, and an
 * account may have no permission for reads that reach storage. In these cases only writes show the problem.
 */
export class WriteHealth {
  readonly #clock: Clock;
  #failures = 0;
  #failedAt = -Infinity;
  #reason = '';

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Returns why the cluster counts as unhealthy: at least three writes in a row timed out, were aborted because the
   * cluster was parked, or were answered 503 (without `Retry-After`) or 504, the last one within two minutes.
   * Returns `undefined` if it is healthy.
   */
  get problem(): string | undefined {
    if (this.#failures < MIN_FAILURES || this.#clock.now() - this.#failedAt > LIFETIME) return undefined;
    return `cannot store writes: the last ${this.#failures} writes failed: ${this.#reason}`;
  }

  /** Returns a transport that sends with `transport` and counts the results of writes. */
  observe(transport: Transport): Transport {
    const send: Transport['send'] = async (request) => {
      if (request.method === 'GET') return transport.send(request);
      const failed = (error: unknown): unknown => {
        const reason = lostReason(error, request);
        if (reason !== undefined) this.#failed(reason);
        return error;
      };
      const response = await transport.send(request).catch((error: unknown) => {
        throw failed(error);
      });
      return observedResponse(response, { done: () => this.#answered(response), failed });
    };
    return delegatingTransport(transport, send);
  }

  #answered({ status, headers }: TransportResponse): void {
    if (!STORAGE_FAILURES.has(status)) this.#failures = 0;
    else if (headers['retry-after'] === undefined) this.#failed(`status ${status}`);
  }

  #failed(reason: string): void {
    this.#failures += 1;
    this.#failedAt = this.#clock.now();
    this.#reason = reason;
  }
}

/**
 * Returns why a write counts as unanswered. A write aborted by its caller does not count, unless the cluster was parked
 * meanwhile.
 */
function lostReason(error: unknown, { signal }: TransportRequest): string | undefined {
  if (signal?.aborted) {
    const reason: unknown = signal.reason;
    return isClusterIsolated(reason) && reason.state === 'parked' ? reason.message : undefined;
  }
  return isTransportError(error) && error.code === 'deadline' ? error.message : undefined;
}
