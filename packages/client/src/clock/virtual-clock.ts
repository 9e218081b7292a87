import type { Clock, Timer } from './clock.ts';

interface Scheduled {
  readonly at: number;
  readonly callback: () => void;
}

/** A clock whose time changes only when a test advances it. */
export class VirtualClock implements Clock {
  #now = 0;
  readonly #epoch: number;
  readonly #scheduled = new Set<Scheduled>();

  /** @param epoch value of {@link wallTime} at instant 0. Default: 2026-01-01T00:00:00Z. */
  constructor(epoch = Date.UTC(2026, 0, 1)) {
    this.#epoch = epoch;
  }

  now(): number {
    return this.#now;
  }

  wallTime(): number {
    return this.#epoch + this.#now;
  }

  schedule(delay: number, callback: () => void): Timer {
    const scheduled: Scheduled = { at: this.#now + Math.max(delay, 0), callback };
    this.#scheduled.add(scheduled);
    return { cancel: () => void this.#scheduled.delete(scheduled) };
  }

  /** Number of timers that have not fired. Tests assert 0 after a shutdown. */
  get pendingTimers(): number {
    return this.#scheduled.size;
  }

  /**
   * Advances time by `duration` ms. Timers that are due run in order, and the promises that each one settles run before
   * the next timer.
   */
  async advance(duration: number): Promise<void> {
    const end = this.#now + duration;
    await settlePromises();
    for (let next = this.#nextUntil(end); next; next = this.#nextUntil(end)) {
      this.#now = next.at;
      this.#scheduled.delete(next);
      next.callback();
      await settlePromises();
    }
    this.#now = end;
  }

  #nextUntil(end: number): Scheduled | undefined {
    let earliest: Scheduled | undefined;
    for (const scheduled of this.#scheduled) {
      if (scheduled.at <= end && (!earliest || scheduled.at < earliest.at)) earliest = scheduled;
    }
    return earliest;
  }
}

/** Waits for one turn of the event loop, in which the reactions of all settled promises run. */
function settlePromises(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
