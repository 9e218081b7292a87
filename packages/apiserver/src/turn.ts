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
    this.restart();
  }

  /** Begins the next turn, after other requests have been served. */
  restart(): void {
    this.#end = performance.now() + SLICE;
  }
}

/** The value that long work yields when its turn is over. */
export const PAUSE = Symbol('pause');

/** Work that yields when its turn is over, so that other requests are served before it goes on. */
export type Paused<T> = Generator<typeof PAUSE, T, undefined>;

/** Does work without pauses, and returns its result. */
export function complete<T>(work: Paused<T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

/** Does work with its pauses, and returns its result. */
export async function inTurns<T>(work: Paused<T>): Promise<T> {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
    await setImmediate();
  }
}
