import type { Clock } from '../clock/clock.ts';
import { answeredWithin } from './ping.ts';
import type { PingResult } from './transport.ts';

/** Deadline of an attempt that is made beside another one, in milliseconds: a few are under way at a time. */
const BESIDE_DEADLINE = 2_000;

interface Attempt<Result> {
  readonly result: PromiseWithResolvers<Result>;
  /** Whether the last {@link SharedAttempt.ping} had no answer in time. */
  isSilent: boolean;
}

/**
 * An attempt to connect that is shared by all who wait for it. A peer may lose the packets of an attempt and answer the
 * next one, so while the attempt is silent, each further request makes another one beside it. The first that succeeds
 * is the result of all.
 */
export class SharedAttempt<Result> {
  readonly #make: (deadline: number | undefined) => Promise<Result>;
  readonly #clock: Clock;
  #current: Attempt<Result> | undefined;

  /** @param make begins one attempt; `deadline` in milliseconds, `undefined` for the default. */
  constructor(make: (deadline: number | undefined) => Promise<Result>, clock: Clock) {
    this.#make = make;
    this.#clock = clock;
  }

  get isUnderWay(): boolean {
    return this.#current !== undefined;
  }

  /** Joins the attempt that is under way, or begins one. @throws why the first attempt failed. */
  join(): Promise<Result> {
    const current = this.#current;
    if (!current) return this.#begin();
    if (current.isSilent) {
      current.isSilent = false;
      // Its failure says nothing: the first attempt goes on.
      this.#make(BESIDE_DEADLINE).then(current.result.resolve, () => undefined);
    }
    return current.result.promise;
  }

  /** Whether the attempt that is under way succeeds within `timeout` ms; `unknown` if there is none or it fails. */
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
