import type { Clock, Timer } from '@mcr/core';

/** Interval of the ticks that advance the clock, in milliseconds. */
const TICK = 5;

interface Scheduled {
  readonly at: number;
  readonly callback: () => void;
}

/**
 * A clock that runs faster than the machine's, so that backoffs and periods take less time. Ticks advance it, so it
 * stops while this process is not scheduled: a busy machine does not cause timeouts.
 */
export class AcceleratedClock implements Clock, Disposable {
  readonly #factor: number;
  #now = 0;
  readonly #scheduled = new Set<Scheduled>();
  /** Keeps the process alive only while a timer is scheduled, as timers of the machine's clock do. */
  readonly #ticking = setInterval(() => this.#tick(), TICK).unref();

  constructor(factor: number) {
    this.#factor = factor;
  }

  now(): number {
    return this.#now;
  }

  wallTime(): number {
    return Date.now();
  }

  schedule(delay: number, callback: () => void): Timer {
    const scheduled: Scheduled = { at: this.#now + Math.max(delay, 0), callback };
    this.#scheduled.add(scheduled);
    this.#ticking.ref();
    return { cancel: () => void this.#remove(scheduled) };
  }

  [Symbol.dispose](): void {
    clearInterval(this.#ticking);
  }

  /** Returns the length of one tick on this clock, in milliseconds. */
  protected step(): number {
    return TICK * this.#factor;
  }

  #tick(): void {
    this.#now += this.step();
    const due = [...this.#scheduled].filter(({ at }) => at <= this.#now).sort((one, other) => one.at - other.at);
    for (const scheduled of due) if (this.#remove(scheduled)) scheduled.callback();
  }

  #remove(scheduled: Scheduled): boolean {
    const isRemoved = this.#scheduled.delete(scheduled);
    if (this.#scheduled.size === 0) this.#ticking.unref();
    return isRemoved;
  }
}
