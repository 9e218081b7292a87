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

  it('retries with backoff after a failure, and reports the first one', async () => {
    const emitWarning = jest.spyOn(process, 'emitWarning').mockReturnValue(undefined);
    const pool = new SlabPool();
    const slab = pool.take(4_096);
    fill(slab, ['a', 'b'], 100);
    const sparse = new Set([0]);
    const attempts: number[] = [];
    const start = Date.now();
    const table = {
      slabs: {
        get: () => slab,
        has: () => true,
        putBackSparse: (number: number) => sparse.add(number),
        takeSparse: () => {
          const [number] = sparse;
          if (number !== undefined) sparse.delete(number);
          return number;
        },
      },
      move: () => {
        attempts.push(Date.now() - start);
        if (attempts.length <= 3) throw new RangeError('out of memory');
        return 1;
      },
    };
    const compaction = new Compaction(() => table as unknown as ObjectTable);
    compaction.start();
    await jest.advanceTimersByTimeAsync(500);
    compaction.start();
    await jest.advanceTimersByTimeAsync(10_000);
    expect(attempts.map((time) => Math.round(time / 1_000))).toEqual([0, 1, 3, 7, 7]);
    expect(compaction.bytes).toBe(2);
    expect(emitWarning.mock.calls.map(([warning]) => warning)).toEqual(['compaction of a cache failed: out of memory']);
    emitWarning.mockRestore();
  });
});

function fill(slab: Slab, names: readonly string[], size: number): void {
  const block = blockOf(names.map((name) => ({ metadata: { name, annotations: { text: 'x'.repeat(size) } } })));
  block.bytes.copy(slab.bytes);
  slab.used = block.bytes.length;
  expect(entrySizeAt(slab, 0)).toBe(slab.used / names.length);
}
