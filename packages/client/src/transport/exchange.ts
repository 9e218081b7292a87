import type { Clock, Timer } from '../clock/clock.ts';
import type { TransportRequest } from './transport.ts';
import { TransportError } from '../errors/transport-error.ts';

/** The HTTP/2 stream or HTTP/1.1 request of an exchange. */
export interface Carrier {
  destroy(error?: Error): unknown;
}

/**
 * One request, from before it is sent until the end of its body. It fails once: at its deadline, when its caller
 * aborts, or with {@link Exchange.fail}. A failure destroys its carrier.
 */
export class Exchange {
  readonly streaming: boolean;
  readonly #host: string;
  readonly #timeout: number;
  readonly #signal: AbortSignal | undefined;
  readonly #beforeSend: (() => void) | undefined;
  /** Rejects the pending results of {@link until}. */
  readonly #pending = new Set<(error: Error) => void>();
  #abort: AbortController | undefined;
  #deadline: Timer | undefined;
  #carrier: Carrier | undefined;
  #refused = false;
  #failure: Error | undefined;
  #isEndless = false;
  #onEnd: ((exchange: Exchange) => void) | undefined;

  constructor(
    request: TransportRequest,
    options: { host: string; timeout: number; clock: Clock; onEnd: (exchange: Exchange) => void },
  ) {
    this.streaming = request.streaming ?? false;
    this.#host = options.host;
    this.#timeout = options.timeout;
    this.#onEnd = options.onEnd;
    this.#signal = request.signal;
    this.#beforeSend = request.beforeSend;
    this.#signal?.addEventListener('abort', this.#onAbort);
    this.#deadline = options.clock.schedule(options.timeout, this.#onDeadline);
    if (this.#signal?.aborted) this.#onAbort();
  }

  /** The error that the caller receives. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  /** Whether this is a stream that is open or was sent, and was not refused. */
  get isStream(): boolean {
    return this.streaming && this.#carrier !== undefined && !this.#refused;
  }

  /** Aborts when the exchange fails. */
  get signal(): AbortSignal {
    this.#abort ??= new AbortController();
    if (this.#failure) this.#abort.abort(this.#failure);
    return this.#abort.signal;
  }

  /** Returns the result of `step`, or rejects first if the exchange fails or ends. */
  until<T>(step: Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    // Unlike with `Promise.race`, an exchange that stays open keeps nothing of its steps.
    this.#pending.add(reject);
    void step.then(resolve, reject).then(() => this.#pending.delete(reject));
    if (this.#failure) reject(this.#failure);
    else if (!this.#onEnd) reject(this.#ended());
    return promise;
  }

  /** Sets the carrier, which a failure destroys. */
  carriedBy(carrier: Carrier): void {
    this.#carrier = carrier;
    if (this.#failure) carrier.destroy(this.#failure);
  }

  /**
   * Called right before the request is sent, with nothing awaited in between.
   *
   * @throws the error of the request's `beforeSend`, with which the exchange fails.
   */
  beforeSend(): void {
    try {
      this.#beforeSend?.();
    } catch (error) {
      this.fail(error as Error);
      throw error;
    }
  }

  /**
   * Ends the deadline of a stream, because it applies only to the headers. The body of a refusal keeps its deadline.
   */
  headersArrived({ status }: { readonly status: number }): void {
    this.#refused = status >= 300;
    this.#isEndless = this.streaming && !this.#refused;
    if (this.#isEndless) this.#deadline?.cancel();
  }

  /** Whether the body is the body of a stream, which has no end of its own. */
  get isEndless(): boolean {
    return this.#isEndless;
  }

  /** Fails the exchange. Only the first failure counts, and failures after {@link end} are ignored. */
  fail(error: Error): void {
    if (this.#failure || !this.#onEnd) return;
    this.#failure = error;
    this.#rejectPending(error);
    this.#abort?.abort(error);
    this.#carrier?.destroy(error);
    this.end();
  }

  /** Ends the exchange: rejects its pending steps, cancels its timer, removes its listeners and destroys its carrier. */
  end(): void {
    if (this.#pending.size > 0) this.#rejectPending(this.#ended());
    this.#deadline?.cancel();
    this.#signal?.removeEventListener('abort', this.#onAbort);
    this.#carrier?.destroy();
    this.#carrier = undefined;
    this.#onEnd?.(this);
    this.#onEnd = undefined;
  }

  #rejectPending(error: Error): void {
    for (const reject of this.#pending) reject(error);
    this.#pending.clear();
  }

  #ended(): TransportError {
    return new TransportError('reset', this.#host, 'the request was cancelled');
  }

  readonly #onAbort = () => {
    this.fail(this.#signal?.reason as Error);
  };

  readonly #onDeadline = () => {
    this.fail(new TransportError('deadline', this.#host, `deadline of ${this.#timeout} ms passed`));
  };
}
