import { AcceleratedClock } from '../accelerated-clock.ts';

/** Backoffs and timeouts take a twentieth of their time. */
const FACTOR = 20;

/**
 * During the quiet period, the clock leaps by `by` milliseconds every `every` ticks, past the longest timeout, that of
 * a watch.
 */
const LEAP = { every: 400, by: 660_000 };

/** An accelerated clock that counts its ticks and can leap. */
export class HurriedClock extends AcceleratedClock {
  #ticks = 0;
  #leaps = false;

  constructor() {
    super(FACTOR);
  }

  /** Number of ticks so far: a measure of the time for which this process ran. */
  get ticks(): number {
    return this.#ticks;
  }

  /** Makes time leap now and then, as on a machine that was suspended. A leap exceeds every limit at once. */
  startLeaping(): void {
    this.#leaps = true;
  }

  stopLeaping(): void {
    this.#leaps = false;
  }

  protected override step(): number {
    this.#ticks += 1;
    return this.#leaps && this.#ticks % LEAP.every === 0 ? LEAP.by : super.step();
  }
}
