import type { Halves } from './fnv1a64.ts';
import { HASH_SPACE, type HashRange } from './shard-selector.ts';

/** Number of integers of one range in {@link HashRanges}: the halves of its first and of its last hash. */
const SIZE = 4;
const LOW_HALF = 0xffff_ffffn;

/** Disjoint ranges of hashes in ascending order, with gaps between them. */
export class HashRanges {
  readonly list: readonly HashRange[];
  readonly #bounds: Uint32Array;

  /** @param ranges valid ranges in any order, which may overlap. */
  constructor(ranges: readonly HashRange[]) {
    this.list = united(ranges);
    this.#bounds = new Uint32Array(
      this.list.flatMap(({ start, end }) => [start, end - 1n].flatMap((hash) => [high(hash), low(hash)])),
    );
  }

  /** Whether every hash is in the ranges. */
  get isEverything(): boolean {
    const [first] = this.list;
    return first?.start === 0n && first.end === HASH_SPACE;
  }

  has(hash: Halves): boolean {
    const bounds = this.#bounds;
    // Number of ranges that begin at the hash or before it.
    let begun = 0;
    let end = this.list.length;
    while (begun < end) {
      const middle = (begun + end) >>> 1;
      if (isAtMost(bounds, middle * SIZE, hash)) begun = middle + 1;
      else end = middle;
    }
    if (begun === 0) return false;
    const last = (begun - 1) * SIZE + 2;
    const lastHigh = bounds[last] as number;
    return hash.high < lastHigh || (hash.high === lastHigh && hash.low <= (bounds[last + 1] as number));
  }

  /** Returns at most `count` ranges that contain these: the smallest gaps are filled. */
  joined(count: number): readonly HashRange[] {
    if (this.list.length <= count) return this.list;
    const gaps = this.list.slice(1).map((range, index) => ({
      after: range,
      size: range.start - (this.list[index]?.end ?? 0n),
    }));
    const largest = gaps.sort((a, b) => (a.size === b.size ? 0 : a.size > b.size ? -1 : 1)).slice(0, count - 1);
    const starts = new Set(largest.map(({ after }) => after));
    return joinedUnless(this.list, (range) => starts.has(range));
  }
}

function united(ranges: readonly HashRange[]): readonly HashRange[] {
  const sorted = [...ranges].sort((a, b) => (a.start === b.start ? 0 : a.start < b.start ? -1 : 1));
  return joinedUnless(sorted, (range, end) => range.start > end);
}

/** Joins each range with the one before it, unless `isStart` says that it starts a new one. */
function joinedUnless(
  sorted: readonly HashRange[],
  isStart: (range: HashRange, end: bigint) => boolean,
): readonly HashRange[] {
  const joined: { start: bigint; end: bigint }[] = [];
  for (const range of sorted) {
    const last = joined.at(-1);
    if (!last || isStart(range, last.end)) joined.push({ ...range });
    else if (range.end > last.end) last.end = range.end;
  }
  return joined;
}

function isAtMost(bounds: Uint32Array, at: number, hash: Halves): boolean {
  const boundHigh = bounds[at] as number;
  return boundHigh < hash.high || (boundHigh === hash.high && (bounds[at + 1] as number) <= hash.low);
}

function high(hash: bigint): number {
  return Number(hash >> 32n);
}

function low(hash: bigint): number {
  return Number(hash & LOW_HALF);
}
