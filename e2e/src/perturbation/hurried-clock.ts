import type { Clock, Timer } from '@mcr/core';

/** How often it moves, and how far, in milliseconds: backoffs and deadlines are a twentieth as long. */
const TICK = { every: 5, by: 100 };

interface Scheduled {
  readonly at: number;
  readonly callback: () => void;
}

/** Every so many ticks of the quiet, time leaps by so many milliseconds: past the longest wait, which is that for a watch to end. */
const LEAP = { every: 400, by: 660_000 };

/** A clock in a hurry. It stands still while this process does not get to run: then nobody misses a deadline. */
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

  /** The number of ticks so far. It measures how much this process got to run, whatever else the machine does. */
  get ticks(): number {
    return this.#ticks;
  }

  /** From now on, time leaps now and then, as on a machine that was asleep. */
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
