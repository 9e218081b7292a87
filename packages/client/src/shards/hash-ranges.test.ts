import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { Halves } from './fnv1a64.ts';
import { HashRanges } from './hash-ranges.ts';
import { HASH_SPACE } from './shard-selector.ts';

const halves = (hash: bigint): Halves => ({ high: Number(hash >> 32n), low: Number(hash & 0xffff_ffffn) });
const has = (ranges: HashRanges, hash: bigint): boolean => ranges.has(halves(hash));
const randomHash = (): bigint => randomBytes(8).readBigUInt64BE();

describe('HashRanges', () => {
  it('SH-19: includes the start of a range and excludes its end', () => {
    const ranges = new HashRanges([
      { start: 5n, end: 7n },
      { start: 0x8000_0000_0000_0000n, end: HASH_SPACE },
    ]);
    const inside = [4n, 5n, 6n, 7n, 0x7fff_ffff_ffff_ffffn, 0x8000_0000_0000_0000n, HASH_SPACE - 1n].filter((hash) =>
      has(ranges, hash),
    );
    expect(inside).toEqual([5n, 6n, 0x8000_0000_0000_0000n, HASH_SPACE - 1n]);
  });

  it('SH-19: cuts of the space leave every hash in exactly one part', () => {
    for (let round = 0; round < 20; round += 1) {
      const cuts = [...new Set(Array.from({ length: round }, randomHash))].filter((cut) => cut > 0n);
      const starts = [0n, ...cuts].sort((a, b) => (a < b ? -1 : 1));
      const parts = starts.map((start, index) => new HashRanges([{ start, end: starts[index + 1] ?? HASH_SPACE }]));
      const hashes = [
        ...starts,
        ...cuts.map((cut) => cut - 1n),
        HASH_SPACE - 1n,
        ...Array.from({ length: 50 }, randomHash),
      ];
      for (const hash of hashes) expect(parts.filter((part) => has(part, hash))).toHaveLength(1);
    }
  });

  it('joins ranges that overlap or continue one another', () => {
    const { list } = new HashRanges([
      { start: 30n, end: 40n },
      { start: 0n, end: 10n },
      { start: 10n, end: 20n },
      { start: 12n, end: 15n },
      { start: 35n, end: 50n },
    ]);
    expect(list).toEqual([
      { start: 0n, end: 20n },
      { start: 30n, end: 50n },
    ]);
  });

  it('is everything only if every hash is in it', () => {
    expect(new HashRanges([{ start: 0n, end: HASH_SPACE }]).isEverything).toBe(true);
    expect(
      new HashRanges([
        { start: 9n, end: HASH_SPACE },
        { start: 0n, end: 9n },
      ]).isEverything,
    ).toBe(true);
    expect(new HashRanges([{ start: 1n, end: HASH_SPACE }]).isEverything).toBe(false);
    expect(new HashRanges([{ start: 0n, end: HASH_SPACE - 1n }]).isEverything).toBe(false);
    expect(new HashRanges([]).isEverything).toBe(false);
  });

  it('fills the smallest gaps to get fewer ranges', () => {
    const ranges = new HashRanges([
      { start: 0n, end: 1n },
      { start: 3n, end: 4n },
      { start: 100n, end: 101n },
      { start: 102n, end: 103n },
    ]);
    expect(ranges.joined(4)).toBe(ranges.list);
    expect(ranges.joined(3)).toEqual([
      { start: 0n, end: 1n },
      { start: 3n, end: 4n },
      { start: 100n, end: 103n },
    ]);
    expect(ranges.joined(2)).toEqual([
      { start: 0n, end: 4n },
      { start: 100n, end: 103n },
    ]);
    expect(ranges.joined(1)).toEqual([{ start: 0n, end: 103n }]);
  });
});
