import type { Clock } from '@mcr/core';
import { sleep } from '@mcr/core';

/** Maximum number of waits while changes continue. */
const MOST_WAITS = 10;

export interface QuietOptions {
  readonly clock: Clock;
  /** Time without changes that ends the wait, in milliseconds. */
  readonly debounce: number;
}

/** Waits until changes have stopped for a while. */
export class Quiet {
  readonly #clock: Clock;
  readonly #debounce: number;
  #changed = Promise.withResolvers<void>();

  constructor({ clock, debounce }: QuietOptions) {
    this.#clock = clock;
    this.#debounce = debounce;
  }

  changed(): void {
    this.#changed.resolve();
  }

  /**
   * Resolves when changes have stopped, after `timeout` milliseconds without a change, or when `signal` aborts.
   */
  async next(timeout: number, signal: AbortSignal): Promise<void> {
    let changed = await this.#changeWithin(timeout, signal);
    for (let waits = 0; changed && waits < MOST_WAITS; waits++) {
      changed = await this.#changeWithin(this.#debounce, signal);
    }
  }

  async #changeWithin(duration: number, signal: AbortSignal): Promise<boolean> {
    const done = new AbortController();
    const wait = AbortSignal.any([signal, done.signal]);
    const changed = await Promise.race([
      this.#changed.promise.then(() => true),
      sleep(this.#clock, duration, wait).then(
        () => false,
        () => false,
      ),
    ]);
    done.abort();
    if (changed) this.#changed = Promise.withResolvers();
    return changed;
  }
}
