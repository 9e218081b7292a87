import type { Clock } from '@mcr/core';
import { sleep } from '@mcr/core';

/** However long changes go on, no more than this many times the time of quiet is waited for it. */
const MOST_WAITS = 10;

export interface QuietOptions {
  readonly clock: Clock;
  /** How long nothing must have changed, in milliseconds. */
  readonly debounce: number;
}

/** Collects changes until there have been none for a while. */
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
   * Resolves when there were changes and it is quiet again; when nothing changes, after `timeout` milliseconds; and
   * when `signal` aborts.
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
