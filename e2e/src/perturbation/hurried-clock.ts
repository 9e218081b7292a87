import type { Clock, Timer } from '@mcr/core';

/** Interval and size of a tick, in milliseconds: backoffs and timeouts take a twentieth of their time. */
const TICK = { every: 5, by: 100 };

interface Scheduled {
  readonly at: number;
  readonly callback: () => void;
}

/**
 * During the quiet period, the clock leaps by `by` milliseconds every `every` ticks, past the longest timeout, that of
 * a watch.
 */
const LEAP = { every: 400, by: 660_000 };

/** A clock that runs fast. It stops while this process is not scheduled, so a busy machine does not cause timeouts. */
export class HurriedClock implements Clock, Disposable {
  #now = 0;
  #ticks = 0;
  #leaps = false;
  readonly #scheduled = new Set<Scheduled>();
  readonly #ticking = setInterval(() => this.#tick(), TICK.every);

  now(): number {
    return this.#now;
  }

  wallTime(): number {
    return Date.now();
  }

  schedule(delay: number, callback: () => void): Timer {
    const scheduled: Scheduled = { at: this.#now + Math.max(delay, 0), callback };
    this.#scheduled.add(scheduled);
    return { cancel: () => void this.#scheduled.delete(scheduled) };
  }

  /** Number of ticks so far: a measure of the time for which this process ran. */
  get ticks(): number {
    return this.#ticks;
  }

  /** Makes time leap now and then, as on a machine that was suspended. */
  startLeaping(): void {
    this.#leaps = true;
  }

  #tick(): void {
    this.#ticks += 1;
    this.#now += this.#leaps && this.#ticks % LEAP.every === 0 ? LEAP.by : TICK.by;
    const due = [...this.#scheduled].filter(({ at }) => at <= this.#now).sort((one, other) => one.at - other.at);
    for (const scheduled of due) if (this.#scheduled.delete(scheduled)) scheduled.callback();
  }

  [Symbol.dispose](): void {
    clearInterval(this.#ticking);
  }
}
