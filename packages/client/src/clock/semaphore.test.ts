import { getEventListeners } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { Semaphore } from './semaphore.ts';

const forever = new AbortController().signal;

/** Acquires a permit, and records whether it was granted. */
function acquire(semaphore: Semaphore, signal = forever) {
  const permit = { granted: false, release: () => undefined as void };
  const promise = semaphore.acquire(signal).then((release) => Object.assign(permit, { granted: true, release }));
  return Object.assign(permit, { promise });
}

describe('Semaphore', () => {
  it('grants no more permits than it has, and a released one to the caller that has waited longest', async () => {
    const semaphore = new Semaphore(1);
    const [first, second, third] = [acquire(semaphore), acquire(semaphore), acquire(semaphore)];
    await nextTurn();
    expect([first.granted, second.granted, third.granted]).toEqual([true, false, false]);
    first.release();
    await nextTurn();
    expect([second.granted, third.granted]).toEqual([true, false]);
    second.release();
    await third.promise;
  });

  it('ignores a second release of a permit', async () => {
    const semaphore = new Semaphore(1);
    const [first, second, third] = [acquire(semaphore), acquire(semaphore), acquire(semaphore)];
    await first.promise;
    first.release();
    first.release();
    await second.promise;
    await nextTurn();
    expect(third.granted).toBe(false);
  });

  it('rejects with the reason of the signal, and skips the caller from then on', async () => {
    const semaphore = new Semaphore(1);
    const first = acquire(semaphore);
    const abort = new AbortController();
    const second = acquire(semaphore, abort.signal);
    const third = acquire(semaphore);
    await nextTurn();
    abort.abort(new Error('enough'));
    await expect(second.promise).rejects.toThrow('enough');
    expect(getEventListeners(abort.signal, 'abort')).toEqual([]);
    first.release();
    await third.promise;
    await expect(semaphore.acquire(abort.signal)).rejects.toThrow('enough');
  });
});
