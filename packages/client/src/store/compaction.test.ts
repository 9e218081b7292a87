import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Compaction } from './compaction.ts';
import { blockOf } from './entry.fixture.ts';
import { entrySizeAt } from './entry.ts';
import type { ObjectTable } from './object-table.ts';
import { SlabPool } from './slab-pool.ts';
import type { Slab } from './slab.ts';

describe('Compaction', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('leaves a slab when it is emptied and used again under the same number', async () => {
    const pool = new SlabPool();
    const slab = pool.take(4_096);
    fill(slab, ['a', 'b', 'c'], 100);
    const moved: number[] = [];
    const sparse = [0];
    const table = {
      slabs: { takeSparse: () => sparse.pop(), get: () => slab, has: () => true },
      move: (_: number, entry: number) => {
        moved.push(entry);
        if (moved.length > 1) return 1;
        // Its other entries are deleted, and a new one is longer.
        pool.give(slab, { isReferenced: () => false });
        expect(pool.take(4_096)).toBe(slab);
        fill(slab, ['d'], 1_000);
        return 1;
      },
    };
    // The part of a table that compaction uses.
    const compaction = new Compaction(() => table as unknown as ObjectTable);
    compaction.start();
    await jest.advanceTimersByTimeAsync(100);
    expect(compaction.slabs).toBe(1);
    expect(moved).toEqual([0]);
  });
});

function fill(slab: Slab, names: readonly string[], size: number): void {
  const block = blockOf(names.map((name) => ({ metadata: { name, annotations: { text: 'x'.repeat(size) } } })));
  block.bytes.copy(slab.bytes);
  slab.used = block.bytes.length;
  expect(entrySizeAt(slab, 0)).toBe(slab.used / names.length);
}
