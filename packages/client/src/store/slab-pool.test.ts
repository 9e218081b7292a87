import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { SlabPool, SMALLEST_SLAB } from './slab-pool.ts';
import type { Slab } from './slab.ts';

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

  it('uses slabs again while an older one is still referenced, and looks at few of them', () => {
    const pool = new SlabPool();
    const held = new Set<Slab>();
    const isReferenced = jest.fn((slab: Slab) => held.has(slab));
    const slabs = Array.from({ length: 1_000 }, () => pool.take(SMALLEST_SLAB));
    for (const slab of slabs) {
      held.add(slab);
      pool.give(slab, { isReferenced });
    }
    expect(pool.waiting).toBe(1_000 * SMALLEST_SLAB);

    for (const slab of slabs.slice(1)) held.delete(slab);
    isReferenced.mockClear();
    for (let count = 0; count < 1_000; count += 1) pool.take(SMALLEST_SLAB);
    expect(pool.waiting).toBe(SMALLEST_SLAB);
    expect(isReferenced.mock.calls.length).toBeLessThan(2_500);
  });

  it('uses slabs again in the order in which they were given', () => {
    const pool = new SlabPool();
    const held = new Set<Slab>();
    const references = { isReferenced: (slab: Slab) => held.has(slab) };
    const slabs = Array.from({ length: 10 }, () => pool.take(SMALLEST_SLAB));
    for (const slab of slabs) {
      held.add(slab);
      pool.give(slab, references);
    }
    for (const slab of slabs.slice(0, 4)) held.delete(slab);
    expect(slabs.slice(0, 4)).toContain(pool.take(SMALLEST_SLAB));
    expect(pool).toMatchObject({ waiting: 6 * SMALLEST_SLAB, pooled: 3 * SMALLEST_SLAB });
  });
});
