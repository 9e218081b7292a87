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
  readonly #ended = Promise.withResolvers<never>();
  readonly #abort = new AbortController();
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
    this.#ended.promise.catch(() => undefined);
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
    return this.#abort.signal;
  }

  /** Returns the result of `step`, unless the exchange fails first. */
  async until<T>(step: Promise<T>): Promise<T> {
    if (this.#failure) step.catch(() => undefined);
    return this.#failure ? this.#ended.promise : Promise.race([step, this.#ended.promise]);
  }

  /** Sets the carrier, which a failure destroys. */
  carriedBy(carrier: Carrier): void {
    this.#carrier = carrier;
    if (this.#failure) carrier.destroy(this.#failure);
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
    this.#ended.reject(error);
    this.#abort.abort(error);
    this.#carrier?.destroy(error);
    this.end();
  }

  /** Ends the exchange: cancels its timer, removes its listeners and destroys its carrier. */
  end(): void {
    this.#deadline?.cancel();
    this.#signal?.removeEventListener('abort', this.#onAbort);
    this.#carrier?.destroy();
    this.#carrier = undefined;
    this.#onEnd?.(this);
    this.#onEnd = undefined;
  }

  readonly #onAbort = () => {
    this.fail(this.#signal?.reason as Error);
  };

  readonly #onDeadline = () => {
    this.fail(new TransportError('deadline', this.#host, `deadline of ${this.#timeout} ms passed`));
  };
}
