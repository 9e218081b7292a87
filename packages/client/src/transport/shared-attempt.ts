import type { Clock } from '../clock/clock.ts';
import { answeredWithin } from './ping.ts';
import type { PingResult } from './transport.ts';

/** Deadline of an additional attempt, in milliseconds. It keeps the number of concurrent attempts low. */
const ADDITIONAL_DEADLINE = 2_000;

interface Attempt<Result> {
  readonly result: PromiseWithResolvers<Result>;
  /** Whether the last {@link SharedAttempt.ping} had no answer in time. */
  isSilent: boolean;
}

/**
 * An attempt to connect that all waiting requests share. The network may lose the packets of one attempt and deliver
 * those of the next, so while the attempt is silent, each new request starts an additional one. The first success is
 * the result for all.
 */
export class SharedAttempt<Result> {
  readonly #make: (deadline: number | undefined) => Promise<Result>;
  readonly #clock: Clock;
  #current: Attempt<Result> | undefined;

  /** @param make starts one attempt, with a deadline in milliseconds or, if `undefined`, with the default deadline. */
  constructor(make: (deadline: number | undefined) => Promise<Result>, clock: Clock) {
    this.#make = make;
    this.#clock = clock;
  }

  /** Whether an attempt is in progress. */
  get isPending(): boolean {
    return this.#current !== undefined;
  }

  /** Joins the attempt in progress, or starts one. @throws the error of the first attempt. */
  join(): Promise<Result> {
    const current = this.#current;
    if (!current) return this.#begin();
    if (current.isSilent) {
      current.isSilent = false;
      // A failure of the additional attempt is ignored, because the first one continues.
      this.#make(ADDITIONAL_DEADLINE).then(current.result.resolve, () => undefined);
    }
    return current.result.promise;
  }

  /** Checks whether the attempt succeeds within `timeout` ms. Returns `unknown` if there is no attempt or it fails. */
  async ping(timeout: number): Promise<PingResult> {
    const current = this.#current;
    if (!current) return 'unknown';
    const result = await answeredWithin(current.result.promise, timeout, this.#clock);
    if (result === 'silent') current.isSilent = true;
    return result;
  }

  #begin(): Promise<Result> {
    const current: Attempt<Result> = { result: Promise.withResolvers<Result>(), isSilent: false };
    this.#current = current;
    this.#make(undefined).then(current.result.resolve, current.result.reject);
    const done = (): void => {
      this.#current = undefined;
    };
    current.result.promise.then(done, done);
    return current.result.promise;
  }
}
