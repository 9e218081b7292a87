import { jitterFactor } from '../clock/backoff.ts';
import type { Clock } from '../clock/clock.ts';
import type { ClusterConfig } from '../config/cluster-config.ts';
import type { Logger } from '../log/logger.ts';
import type { ClientMetrics } from './client-metrics.ts';
import { retryDelay, type Outcome } from './retry-policy.ts';
import type { PingResult, Transport, TransportRequest, TransportResponse } from './transport.ts';
import { isTransportError, TransportError } from '../errors/transport-error.ts';

export interface RetryingOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics?: ClientMetrics | undefined;
  /** Numbers in [0, 1), for jitter. */
  readonly random: () => number;
  /** The server's host and port. */
  readonly host: string;
  /** Returns the default deadline of a request, in milliseconds. */
  readonly defaultTimeout: () => number;
}

/** Retries requests according to {@link retryDelay}, within the deadline of each request. */
export class RetryingTransport implements Transport {
  readonly #transport: Transport;
  readonly #options: RetryingOptions;
  /** Functions that end the pending waits early. */
  readonly #waits = new Set<() => void>();

  constructor(transport: Transport, options: RetryingOptions) {
    this.#transport = transport;
    this.#options = options;
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    const { clock, logger, metrics, random, host } = this.#options;
    const timeout = request.timeout ?? this.#options.defaultTimeout();
    const deadline = clock.now() + timeout;
    let last: Outcome | undefined;
    for (let retries = 0; ; retries += 1) {
      const left = Math.ceil(deadline - clock.now());
      const outcome = await this.#try(retries === 0 ? request : { ...request, timeout: left });
      const delay = retryDelay(request, outcome, retries);
      const jittered = delay === undefined ? Infinity : delay * jitterFactor(0.5, random);
      // If the deadline would pass during the wait, the current outcome is returned immediately.
      if (clock.now() + jittered >= deadline) return settle(outcome, { host, timeout, last });

      const code = codeOf(outcome);
      if (outcome.type === 'response') {
        outcome.response.cancel();
        request.onRetry?.(jittered);
      } else {
        request.onFailedTry?.(outcome.error);
      }
      logger.debug('retrying request', { method: request.method, reason: reasonOf(outcome), retryIn: jittered });
      await this.#wait(jittered, request.signal);
      metrics?.retried({ method: request.method, host }, code);
      last = outcome;
    }
  }

  rotate(config: ClusterConfig): Promise<void> {
    return this.#transport.rotate(config);
  }

  onCredentials(listener: () => void): () => void {
    return this.#transport.onCredentials(listener);
  }

  ping(timeout: number): Promise<PingResult> {
    return this.#transport.ping?.(timeout) ?? Promise.resolve('unknown');
  }

  async close(): Promise<void> {
    const closed = this.#transport.close();
    // Requests that wait continue, and find the transport closed.
    for (const end of this.#waits) end();
    await closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #try(request: TransportRequest): Promise<Outcome> {
    try {
      return { type: 'response', response: await this.#transport.send(request) };
    } catch (error) {
      return { type: 'failure', error };
    }
  }

  /** Resolves after `delay`, when the signal aborts, or when the transport is closed. The next attempt checks which. */
  #wait(delay: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        timer.cancel();
        signal?.removeEventListener('abort', end);
        this.#waits.delete(end);
        resolve();
      };
      const timer = this.#options.clock.schedule(delay, end);
      signal?.addEventListener('abort', end);
      this.#waits.add(end);
      if (signal?.aborted) end();
    });
  }
}

interface Before {
  readonly host: string;
  readonly timeout: number;
  /** Outcome of the previous attempt. */
  readonly last: Outcome | undefined;
}

function settle(outcome: Outcome, { host, timeout, last }: Before): TransportResponse {
  if (outcome.type === 'response') return outcome.response;
  const { error } = outcome;
  // The last attempt had only the time that the previous attempts left.
  if (last && isTransportError(error) && error.code === 'deadline') {
    throw new TransportError(
      'deadline',
      host,
      `deadline of ${timeout} ms passed; previous attempt: ${reasonOf(last)}`,
      {
        cause: error,
      },
    );
  }
  throw error;
}

function codeOf(outcome: Outcome): string {
  return outcome.type === 'response' ? String(outcome.response.status) : '<error>';
}

function reasonOf(outcome: Outcome): string {
  if (outcome.type === 'response') return `status ${outcome.response.status}`;
  return outcome.error instanceof Error ? outcome.error.message : String(outcome.error);
}
