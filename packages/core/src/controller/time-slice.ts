import type { Clock } from '@mcr/client';

/** Milliseconds of work in one turn of the event loop; leases and health probes share the thread. */
const BUDGET = 8;

/** What the workers of a controller may use of each turn of the event loop, all together. */
export class TimeSlice {
  readonly #clock: Clock;
  #begin = 0;
  #inTurn = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether this turn's budget is used up. The turn begins with the first question. */
  get spent(): boolean {
    if (this.#inTurn) return this.#clock.now() - this.#begin > BUDGET;
    this.#inTurn = true;
    this.#begin = this.#clock.now();
    setImmediate(() => {
      this.#inTurn = false;
    });
    return false;
  }

  /** Resolves in a later turn, when timers and I/O have had theirs. */
  next(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
  }
}
