import { setImmediate } from 'node:timers/promises';

/** Maximum time that long work blocks other requests, in milliseconds. */
export const SLICE = 5;

/** Number of steps between two looks at the clock. */
const STEPS = 64;

/** A turn of long work. Other requests are served between two turns (K-30). */
export class Turn {
  #end = performance.now() + SLICE;
  #steps = 0;
  #pauses = 0;

  /** Whether the work has to call {@link next} before it goes on. */
  get isOver(): boolean {
    return performance.now() >= this.#end;
  }

  /** Whether the work has paused before, so that it is long. */
  get hasPaused(): boolean {
    return this.#pauses > 0;
  }

  /**
   * Counts a step of a few microseconds. Looks at the clock only once in many steps, so that short work does not look.
   *
   * @returns whether the work has to {@link pause} before it goes on.
   */
  step(): boolean {
    this.#steps += 1;
    return this.#steps % STEPS === 0 && this.isOver;
  }

  /** Lets other requests be served. */
  *pause(): Paused<void> {
    yield PAUSE;
    this.restart();
  }

  /** Resolves when other requests have been served. */
  async next(): Promise<void> {
    await setImmediate();
    this.restart();
  }

  /** Begins the next turn, after other requests have been served. */
  restart(): void {
    this.#pauses += 1;
    this.#end = performance.now() + SLICE;
  }
}

/** The value that long work yields when its turn is over. */
export const PAUSE = Symbol('pause');

/** Work that yields when its turn is over, so that other requests are served before it goes on. */
export type Paused<T> = Generator<typeof PAUSE, T, undefined>;

/** Returns the result of work that is done already. */
export function* done<T>(result: T): Paused<T> {
  yield* [];
  return result;
}

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
