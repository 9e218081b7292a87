import { sharedMemory } from './shared-memory.ts';

/** Number of rows of the first segment. */
const FIRST = 16;

/**
 * Rows of 32-bit integers outside the heap. They are in segments that double in size and are never copied, so growing
 * takes no time. New rows are zero.
 */
export class IntRows {
  readonly #width: number;
  readonly #segments: Int32Array[] = [];

  /** @param width number of integers in a row. */
  constructor(width: number) {
    this.#width = width;
  }

  get byteLength(): number {
    return this.#segments.reduce((sum, { byteLength }) => sum + byteLength, 0);
  }

  /** Makes rows up to and including `row` available. */
  reach(row: number): void {
    while (this.#segments.length <= segmentOf(row)) {
      const rows = Math.max(startOf(this.#segments.length), FIRST);
      const integers = rows * this.#width;
      this.#segments.push(new Int32Array(sharedMemory(integers * 4), 0, integers));
    }
  }

  /** Drops the segments behind the one of `row`; all of them for -1. */
  cutAfter(row: number): void {
    this.#segments.length = Math.min(this.#segments.length, row < 0 ? 0 : segmentOf(row) + 1);
  }

  get(row: number, column: number): number {
    const segment = segmentOf(row);
    return (this.#segments[segment] as Int32Array)[(row - startOf(segment)) * this.#width + column] as number;
  }

  set(row: number, column: number, value: number): void {
    const segment = segmentOf(row);
    (this.#segments[segment] as Int32Array)[(row - startOf(segment)) * this.#width + column] = value;
  }
}

/** Segments begin at row 0, 16, 32, 64, 128, … */
function segmentOf(row: number): number {
  return 28 - Math.clz32(row | (FIRST - 1));
}

function startOf(segment: number): number {
  return (1 << (segment + 3)) & -FIRST;
}
