import type { Clock } from '@mcr/client';

/** Milliseconds of work in one turn of the event loop; leases and health probes share the thread. */
const BUDGET = 8;

/** The turn of the event loop that the workers of a controller share. */
export class TimeSlice {
  readonly #clock: Clock;
  #begin: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#begin = clock.now();
  }

  get spent(): boolean {
    return this.#clock.now() - this.#begin > BUDGET;
  }

  /** Resolves in a later turn, when I/O and timers have had theirs. */
  async next(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve));
    this.#begin = this.#clock.now();
  }
}
