import type { Clock, Transport, TransportRequest } from '@mcr/client';
import { delegatingTransport, isTransportError } from '@mcr/client';
import { isClusterIsolated } from '../isolation/cluster-isolated-error.ts';

/** Writes in a row that must fail to count as evidence: fewer may be chance, or one kind's slow admission webhook. */
const LEAST_FAILURES = 3;
/** Evidence is older than this, in milliseconds, if nobody has written since: then only health checks can tell. */
const LIFETIME = 120_000;
/** Answers by which a server says that it could not store. A 500 is not one: failing admission webhooks cause it. */
const UNSTORED: ReadonlySet<number> = new Set([503, 504]);

/**
 * Remembers whether a cluster takes writes. A server whose storage has lost its quorum may still read, and an account may
 * be allowed nothing that reaches storage, so that only writes show it.
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
   * Why the cluster counts as unhealthy: at least three writes in a row timed out, were aborted because the cluster was
   * parked, or were answered 503 (without `Retry-After`) or 504, the last one within two minutes. `undefined` if it does
   * not.
   */
  get problem(): string | undefined {
    if (this.#failures < LEAST_FAILURES || this.#clock.now() - this.#failedAt > LIFETIME) return undefined;
    return `does not store: the last ${this.#failures} writes failed: ${this.#reason}`;
  }

  /** A transport that sends by `transport`, and whose writes count. */
  observe(transport: Transport): Transport {
    const send: Transport['send'] = async (request) => {
      if (request.method === 'GET') return transport.send(request);
      try {
        const response = await transport.send(request);
        const { status, headers } = response;
        if (!UNSTORED.has(status)) this.#failures = 0;
        else if (headers['retry-after'] === undefined) this.#failed(`status ${status}`);
        return response;
      } catch (error) {
        const reason = lostReason(error, request);
        if (reason !== undefined) this.#failed(reason);
        throw error;
      }
    };
    return delegatingTransport(transport, send);
  }

  #failed(reason: string): void {
    this.#failures += 1;
    this.#failedAt = this.#clock.now();
    this.#reason = reason;
  }
}

/** Why a write counts as unanswered. A write that its caller aborted does not, unless the cluster was parked meanwhile. */
function lostReason(error: unknown, { signal }: TransportRequest): string | undefined {
  if (signal?.aborted) {
    const reason: unknown = signal.reason;
    return isClusterIsolated(reason) && reason.state === 'parked' ? reason.message : undefined;
  }
  return isTransportError(error) && error.code === 'deadline' ? error.message : undefined;
}
