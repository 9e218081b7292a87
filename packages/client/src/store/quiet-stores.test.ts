import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { quietStores, type QuietStore } from './quiet-stores.ts';

describe('quietStores', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('PC-8: calls a store once after it has not been written to for a second', () => {
    const finished: string[] = [];
    const stores = ['busy', 'quiet'].map((name) => ({ written: 0, finish: () => void finished.push(name) }));
    const [busy, quiet] = stores as [QuietStore & { written: number }, QuietStore];
    for (const store of stores) quietStores.watch(store);
    for (let second = 0; second < 5; second += 1) {
      busy.written += 1;
      quietStores.watch(busy);
      jest.advanceTimersByTime(1_000);
    }
    expect(finished).toEqual(['quiet']);
    jest.advanceTimersByTime(2_000);
    expect(finished).toEqual(['quiet', 'busy']);
    expect(jest.getTimerCount()).toBe(0);
    quietStores.watch(quiet);
    jest.advanceTimersByTime(2_000);
    expect(finished).toEqual(['quiet', 'busy', 'quiet']);
  });
});
