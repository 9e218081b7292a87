import { requestTimeout } from '../status.ts';
import { objectKey } from '../storage/stored-object.ts';
import { PAUSE } from '../turn.ts';
import type { Steps } from './steps.ts';
import type { Backend, Target, WriteOptions } from './target.ts';

/** Time after which a real server ends a write that it repeats, in milliseconds. */
const TIMEOUT = 34_000;

/** Maximum number of attempts. Each one asks all webhooks of the write. */
const ATTEMPTS = 1_000;

/** Number of attempts after which other writes of the object wait for this one. */
const PATIENCE = 3;

type Write = Pick<WriteOptions, 'byServer'> & { readonly target: Target };

/**
 * Repeats a write until the object that it is based on is still the current one when it is stored. A real server repeats it
 * until the timeout of the request, too (upstream: `GuaranteedUpdate`). Here, all writes share a processor, and one that
 * pauses would lose to shorter ones each time. After a few attempts, the other writes of the object wait for it, unless it
 * waits for a webhook, which may write the object itself.
 *
 * @param attempt returns `undefined` if the object changed while the attempt waited.
 * @throws {StatusError} 504 if the object changes in each attempt.
 */
export function* untilStored<T>(
  { store: { turns } }: Pick<Backend, 'store'>,
  { target: { type, namespace, name }, byServer = false }: Write,
  attempt: () => Steps<T | undefined>,
): Steps<T> {
  const end = performance.now() + TIMEOUT;
  const key = `${type.storage}/${objectKey(namespace, name)}`;
  const self = {};
  const release = (): void => turns.release(key, self);
  try {
    for (let attempts = 1; ; attempts++) {
      // The server itself cannot wait.
      while (!byServer && turns.isTaken(key, self)) {
        const left = end - performance.now();
        if (left <= 0) throw requestTimeout();
        yield turns.released(key, left);
      }
      const stored = yield* attempts > PATIENCE ? beforeWaiting(attempt(), release) : attempt();
      if (stored !== undefined) return stored;
      if (attempts === ATTEMPTS || performance.now() > end) throw requestTimeout();
      if (attempts >= PATIENCE) turns.take(key, self);
    }
  } finally {
    release();
  }
}

/** Calls `release` before `steps` wait for something else than their turn of the processor. */
function* beforeWaiting<T>(steps: Steps<T>, release: () => void): Steps<T> {
  let next = steps.next();
  while (!next.done) {
    if (next.value !== PAUSE) release();
    try {
      yield next.value;
    } catch (error) {
      next = steps.throw(error);
      continue;
    }
    next = steps.next();
  }
  return next.value;
}
