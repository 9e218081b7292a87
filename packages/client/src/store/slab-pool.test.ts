import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { SlabPool } from './slab-pool.ts';

const unreferenced = { isReferenced: () => false };

describe('SlabPool', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('drops slabs that were not used for a while, whatever their sizes', () => {
    const pool = new SlabPool();
    const slabs = [64 * 1024, 512 * 1024].map((size) => pool.take(size));
    for (const slab of slabs) pool.give(slab, unreferenced);
    expect(pool.pooled).toBe(576 * 1024);

    jest.advanceTimersByTime(5_000);
    expect(pool.take(60_000)).toBe(slabs[0]);
    expect(slabs[0]).toMatchObject({ used: 0, offered: 0, uses: 1 });
    jest.advanceTimersByTime(5_000);
    expect(pool.pooled).toBe(0);
    expect(jest.getTimerCount()).toBeLessThanOrEqual(1);
  });
});
