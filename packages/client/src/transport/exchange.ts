import type { Clock, Timer } from '../clock/clock.ts';
import type { TransportRequest } from './transport.ts';
import { TransportError } from '../errors/transport-error.ts';

/** What carries an exchange: an HTTP/2 stream, or an HTTP/1.1 request. */
export interface Carrier {
  destroy(error?: Error): unknown;
}

/**
 * One request under way, from before it is sent until its body has ended: its deadline, its caller's abort, and the
 * one reason for which it fails. Whichever comes first ends what carries it.
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

  /** Why this failed, as the caller is told. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  /** Whether it is a stream that is open, or on its way to be. */
  get isStream(): boolean {
    return this.streaming && this.#carrier !== undefined && !this.#refused;
  }

  /** Aborts when the exchange fails. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** What `step` resolves to, unless the exchange fails first. */
  async until<T>(step: Promise<T>): Promise<T> {
    if (this.#failure) step.catch(() => undefined);
    return this.#failure ? this.#ended.promise : Promise.race([step, this.#ended.promise]);
  }

  /** From now on a failure destroys `carrier`. */
  carriedBy(carrier: Carrier): void {
    this.#carrier = carrier;
    if (this.#failure) carrier.destroy(this.#failure);
  }

  /** The deadline of a stream without an end holds for its headers only; a refusal of it has an end. */
  headersArrived({ status }: { readonly status: number }): void {
    this.#refused = status >= 300;
    this.#isEndless = this.streaming && !this.#refused;
    if (this.#isEndless) this.#deadline?.cancel();
  }

  /** Whether the body that has begun is that of a stream without an end. */
  get isEndless(): boolean {
    return this.#isEndless;
  }

  /** The first reason stays; after {@link end} there is none. */
  fail(error: Error): void {
    if (this.#failure || !this.#onEnd) return;
    this.#failure = error;
    this.#ended.reject(error);
    this.#abort.abort(error);
    this.#carrier?.destroy(error);
    this.end();
  }

  /** Leaves no timer, no listener, and nothing open. */
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
