import type { Clock, Timer } from '../clock/clock.ts';
import { systemClock } from '../clock/clock.ts';
import { Semaphore } from '../clock/semaphore.ts';

/** Options of {@link ListSlots}. */
export interface ListSlotsOptions {
  /** Maximum number of complete lists at the same time. Default: 8. */
  readonly limit?: number;
  /** Default: the system clock. */
  readonly clock?: Clock;
}

/**
 * Time that a list may hold a slot while its server is silent, in milliseconds. It is less than the latency of distant
 * servers, so that a fleet of them is not listed one after another.
 */
const LONGEST_SILENCE = 25;
/** Maximum time that a list may hold a slot, in milliseconds. */
const LONGEST_TURN = 30_000;

/**
 * Limits how many informers list all objects of their kind at the same time, across all caches that share it. The limit
 * saves memory, because during a list an informer holds the new objects in addition to the previous ones. A slow or
 * silent server does not block the others.
 */
export class ListSlots {
  readonly #clock: Clock;
  readonly #semaphore: Semaphore;

  /** @throws {TypeError} if the limit is not a positive whole number. */
  constructor({ limit = 8, clock = systemClock }: ListSlotsOptions = {}) {
    if (!Number.isInteger(limit) || limit < 1)
      throw new TypeError(`limit: expected a positive whole number, found ${limit}`);
    this.#semaphore = new Semaphore(limit);
    this.#clock = clock;
  }

  /** Returns the turn of one list. Its `take` waits for a slot. */
  turn(): ListTurn {
    return new ListTurn(this.#semaphore, this.#clock);
  }
}

/**
 * The use of slots by one list. A slow list holds a slot only while it stores received data, not while it waits for its
 * server: then the limit applies to work and not to waiting.
 */
export class ListTurn {
  readonly #semaphore: Semaphore;
  readonly #clock: Clock;
  /** The slot, and the time since which the list holds it. */
  #held: { readonly since: number; readonly release: () => void } | undefined;
  #isSlow = false;
  #silence: Timer | undefined;

  constructor(semaphore: Semaphore, clock: Clock) {
    this.#semaphore = semaphore;
    this.#clock = clock;
  }

  /**
   * Resolves when the list holds a slot; immediately if it already does.
   *
   * @throws the reason of `signal` if it aborts first.
   */
  async take(signal: AbortSignal): Promise<void> {
    this.#silence?.cancel();
    if (this.#held) return;
    const release = await this.#semaphore.acquire(signal);
    this.#held = { since: this.#clock.now(), release };
  }

  /** Marks that the list waits for the server, until `take` or `end`. */
  waitForServer(): void {
    if (!this.#held) return;
    const left = this.#held.since + LONGEST_TURN - this.#clock.now();
    if (this.#isSlow || left <= 0) this.#giveUp();
    else this.#silence = this.#clock.schedule(Math.min(left, LONGEST_SILENCE), () => this.#giveUp());
  }

  /** Releases the slot, if any. The next list starts as a fast one. */
  end(): void {
    this.#isSlow = false;
    this.#releaseSlot();
  }

  #giveUp(): void {
    this.#isSlow = true;
    this.#releaseSlot();
  }

  #releaseSlot(): void {
    this.#silence?.cancel();
    this.#held?.release();
    this.#held = undefined;
  }
}
