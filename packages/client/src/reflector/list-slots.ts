import type { Clock, Timer } from '../clock/clock.ts';
import { systemClock } from '../clock/clock.ts';
import { Semaphore } from '../clock/semaphore.ts';

export interface ListSlotsOptions {
  /** How many lists of everything proceed at once. Default: 8. */
  readonly limit?: number;
  /** Default: the machine's own. */
  readonly clock?: Clock;
}

/**
 * How long a list may keep a slot while its server is silent, in milliseconds: a server far away is silent for longer,
 * and a fleet of them must not be asked one after another.
 */
const LONGEST_SILENCE = 25;
/** How long a list may keep a slot at all, in milliseconds. */
const LONGEST_TURN = 30_000;

/**
 * Limits how many informers get all objects of their kind at once, in all caches that are given it: each holds what has
 * come beside what it is to replace. A server that is slow or silent does not keep the others waiting.
 */
export class ListSlots {
  readonly #clock: Clock;
  readonly #semaphore: Semaphore;

  /** @throws {TypeError} when the limit is not a positive whole number. */
  constructor({ limit = 8, clock = systemClock }: ListSlotsOptions = {}) {
    if (!Number.isInteger(limit) || limit < 1) throw new TypeError(`limit: ${limit} is not a positive whole number`);
    this.#semaphore = new Semaphore(limit);
    this.#clock = clock;
  }

  /** The place of one list in the queue for a slot; it is taken up by `take`. */
  turn(): ListTurn {
    return new ListTurn(this.#semaphore, this.#clock);
  }
}

/**
 * What one list makes of the slots. One that has turned out to be slow has a slot only while what has arrived is
 * stored, and none while it waits for its server: then the limit is on the work, and no longer on the waiting.
 */
export class ListTurn {
  readonly #semaphore: Semaphore;
  readonly #clock: Clock;
  /** The slot, and the time since when the list has it. */
  #held: { readonly since: number; readonly release: () => void } | undefined;
  #isSlow = false;
  #silence: Timer | undefined;

  constructor(semaphore: Semaphore, clock: Clock) {
    this.#semaphore = semaphore;
    this.#clock = clock;
  }

  /**
   * Resolves when there is a slot, at once when there is one already.
   *
   * @throws the signal's reason, when `signal` aborts first.
   */
  async take(signal: AbortSignal): Promise<void> {
    this.#silence?.cancel();
    if (this.#held) return;
    const release = await this.#semaphore.acquire(signal);
    this.#held = { since: this.#clock.now(), release };
  }

  /** From now on the server is waited for, until `take` or `end`. */
  waitForServer(): void {
    if (!this.#held) return;
    const left = this.#held.since + LONGEST_TURN - this.#clock.now();
    if (this.#isSlow || left <= 0) this.#giveUp();
    else this.#silence = this.#clock.schedule(Math.min(left, LONGEST_SILENCE), () => this.#giveUp());
  }

  /** Gives the slot back, if there is one. The next list begins anew. */
  end(): void {
    this.#isSlow = false;
    this.#giveBack();
  }

  #giveUp(): void {
    this.#isSlow = true;
    this.#giveBack();
  }

  #giveBack(): void {
    this.#silence?.cancel();
    this.#held?.release();
    this.#held = undefined;
  }
}
