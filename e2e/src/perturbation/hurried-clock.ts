import type { Clock, Timer } from '@mcr/core';

/** How often it moves, and how far, in milliseconds: backoffs and deadlines are a twentieth as long. */
const TICK = { every: 5, by: 100 };

interface Scheduled {
  readonly at: number;
  readonly callback: () => void;
}

/** A clock in a hurry. It stands still while this process is too busy to look at it: then nobody misses a deadline. */
export class HurriedClock implements Clock, Disposable {
  #now = 0;
  readonly #scheduled = new Set<Scheduled>();
  readonly #ticking = setInterval(() => this.leap(TICK.by), TICK.every);

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

  /** Whatever falls due within the next `duration` ms does so now, as on a machine that was asleep for so long. */
  leap(duration: number): void {
    this.#now += duration;
    const due = [...this.#scheduled].filter(({ at }) => at <= this.#now).sort((one, other) => one.at - other.at);
    for (const scheduled of due) if (this.#scheduled.delete(scheduled)) scheduled.callback();
  }

  [Symbol.dispose](): void {
    clearInterval(this.#ticking);
  }
}
