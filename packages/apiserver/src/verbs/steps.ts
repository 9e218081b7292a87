import { setImmediate } from 'node:timers/promises';
import type { Turn } from '../turn.ts';
import { PAUSE } from '../turn.ts';

/**
 * A computation that may have to wait: it yields the promises that it waits for, and {@link PAUSE} to let other requests
 * go first. Between two of them it runs without interruption, so a check and the write after it are atomic. One that
 * yields nothing is synchronous.
 */
export type Steps<T> = Generator<Promise<unknown> | typeof PAUSE, T, undefined>;

/** Waits for a promise within {@link Steps}. */
export function* wait<T>(promise: Promise<T>): Steps<T> {
  const settled: T[] = [];
  yield promise.then((value) => settled.push(value));
  const [value] = settled;
  // The driver resumes only after the promise was fulfilled.
  return value as T;
}

/** Lets other requests go first if the turn is over. What was read before may have changed then. */
export function* pauseAfter(turn: Turn): Steps<void> {
  if (!turn.isOver) return;
  yield PAUSE;
  turn.restart();
}

/** Runs a computation that must not wait, without its pauses. @throws {Error} if it waits. */
export function runSync<T>(steps: Steps<T>): T {
  let result = steps.next();
  while (!result.done && result.value === PAUSE) result = steps.next();
  if (result.done) return result.value;
  // The promise has no other observer.
  if (result.value !== PAUSE) result.value.catch(() => undefined);
  steps.return(undefined as T);
  throw new Error('this write has to wait for a webhook: send it as a request');
}

/** Runs a computation. Returns its result at once if it does not wait. */
export function run<T>(steps: Steps<T>): T | Promise<T> {
  const result = steps.next();
  return result.done ? result.value : resume(steps, result.value);
}

async function resume<T>(steps: Steps<T>, first: Promise<unknown> | typeof PAUSE): Promise<T> {
  for (let reason = first; ;) {
    const failure = await (reason === PAUSE ? setImmediate() : reason).then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
    const result = failure ? steps.throw(failure.error) : steps.next();
    if (result.done) return result.value;
    reason = result.value;
  }
}
