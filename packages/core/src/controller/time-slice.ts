import type { Clock } from '@mcr/client';

/** Milliseconds of work in one turn of the event loop; leases and health probes share the thread. */
const BUDGET = 8;

/** Limits the work of all workers of a controller in one turn of the event loop. */
export class TimeSlice {
  readonly #clock: Clock;
  #begin = 0;
  #inTurn = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether the budget of this turn is spent. The turn starts at the first read. */
  get spent(): boolean {
    if (this.#inTurn) return this.#clock.now() - this.#begin > BUDGET;
    this.#inTurn = true;
    this.#begin = this.#clock.now();
    setImmediate(() => {
      this.#inTurn = false;
    });
    return false;
  }

  /** Resolves in a later turn, after timers and I/O were processed. */
  next(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
  }
}
