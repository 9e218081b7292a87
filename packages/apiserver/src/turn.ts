import { setImmediate } from 'node:timers/promises';

/** Maximum time that long work blocks other requests, in milliseconds. */
export const SLICE = 5;

/** A turn of long work. Other requests are served between two turns (K-30). */
export class Turn {
  #end = performance.now() + SLICE;

  /** Whether the work has to call {@link next} before it goes on. */
  get isOver(): boolean {
    return performance.now() >= this.#end;
  }

  /** Resolves when other requests have been served. */
  async next(): Promise<void> {
    await setImmediate();
    this.#end = performance.now() + SLICE;
  }
}
