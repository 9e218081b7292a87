import { describe, expect, it } from '@jest/globals';
import { inOrder } from './in-order.ts';

/** A promise that a test settles. */
function deferred(): { readonly promise: Promise<string>; resolve(value: string): void; reject(error: Error): void } {
  return Promise.withResolvers<string>();
}

const { signal } = new AbortController();

describe('concurrent work', () => {
  it('K-31: runs a limited number at a time, and returns the results in order', async () => {
    const works = ['a', 'b', 'c'].map(deferred);
    const started: number[] = [];
    const results = inOrder(works, { limit: 2, signal }, ({ promise }, index) => {
      started.push(index);
      return promise;
    });
    expect(started).toEqual([0, 1]);
    works[1]?.resolve('b');
    await works[1]?.promise;
    await new Promise(setImmediate);
    expect(started).toEqual([0, 1, 2]);
    works[2]?.resolve('c');
    works[0]?.resolve('a');
    expect(await results).toEqual(['a', 'b', 'c']);
  });

  it('K-31: throws the first error in order after all work has ended, and starts no more', async () => {
    const works = ['a', 'b', 'c'].map(deferred);
    const started: number[] = [];
    const results = inOrder(works, { limit: 2, signal }, ({ promise }, index) => {
      started.push(index);
      return promise;
    });
    works[1]?.reject(new Error('second'));
    works[0]?.reject(new Error('first'));
    await expect(results).rejects.toThrow('first');
    expect(started).toEqual([0, 1]);
  });

  it('K-31: starts no more work after an abort', async () => {
    const controller = new AbortController();
    const results = inOrder(['a', 'b'], { limit: 1, signal: controller.signal }, (item) => {
      controller.abort();
      return Promise.resolve(item);
    });
    expect(await results).toEqual(['a']);
  });
});
