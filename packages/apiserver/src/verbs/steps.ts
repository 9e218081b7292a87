import { requestTimeout } from '../status.ts';

/**
 * A computation that may have to wait: it yields the promises that it waits for. Between two of them it runs without
 * interruption, so a check and the write after it are atomic. One that yields nothing is synchronous.
 */
export type Steps<T> = Generator<Promise<unknown>, T, undefined>;

/** Waits for a promise within {@link Steps}. */
export function* wait<T>(promise: Promise<T>): Steps<T> {
  const settled: T[] = [];
  yield promise.then((value) => settled.push(value));
  const [value] = settled;
  // The driver resumes only after the promise was fulfilled.
  return value as T;
}

/** Runs a computation that must not wait. @throws {Error} if it does. */
export function runSync<T>(steps: Steps<T>): T {
  const result = steps.next();
  if (result.done) return result.value;
  // The promise has no other observer.
  result.value.catch(() => undefined);
  steps.return(undefined as T);
  throw new Error('this write has to wait for a webhook: send it as a request');
}

/** Runs a computation. Returns its result at once if it does not wait. */
export function run<T>(steps: Steps<T>): T | Promise<T> {
  const result = steps.next();
  return result.done ? result.value : resume(steps, result.value);
}

async function resume<T>(steps: Steps<T>, first: Promise<unknown>): Promise<T> {
  for (let promise = first; ;) {
    const failure = await promise.then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
    const result = failure ? steps.throw(failure.error) : steps.next();
    if (result.done) return result.value;
    promise = result.value;
  }
}

/** Time after which a real server ends a write that it repeats, in milliseconds. */
const TIMEOUT = 34_000;

/** Maximum number of attempts. Each one asks all webhooks of the write. */
const ATTEMPTS = 1_000;

/**
 * Repeats a write until the object that it is based on is still the current one when it is stored.
 *
 * @param attempt returns `undefined` if the object changed while the attempt waited.
 * @throws {StatusError} 504 if the object changes in each attempt.
 */
export function* untilStored<T>(attempt: () => Steps<T | undefined>): Steps<T> {
  const end = performance.now() + TIMEOUT;
  for (let attempts = 1; ; attempts++) {
    const stored = yield* attempt();
    if (stored !== undefined) return stored;
    if (attempts === ATTEMPTS || performance.now() > end) throw requestTimeout();
  }
}
