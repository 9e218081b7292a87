import { IntRows } from './int-rows.ts';

/** Rows of 32-bit integers outside the heap that are taken and given back one by one. */
export class RowPool {
  readonly #rows: IntRows;
  /** Column that links the free rows. */
  readonly #link: number;
  /** First free row; -1 for none. */
  #free = -1;
  #end = 0;
  #size = 0;

  /**
   * @param width number of integers in a row.
   * @param link column that may be used while a row is free.
   */
  constructor(width: number, link: number) {
    this.#rows = new IntRows(width);
    this.#link = link;
  }

  /** Number of rows in use. */
  get size(): number {
    return this.#size;
  }

  /** Rows in use are below this number. */
  get end(): number {
    return this.#end;
  }

  get byteLength(): number {
    return this.#rows.byteLength;
  }

  get(row: number, column: number): number {
    return this.#rows.get(row, column);
  }

  set(row: number, column: number, value: number): void {
    this.#rows.set(row, column, value);
  }

  /** Returns a row, which the caller fills. */
  take(): number {
    this.#size += 1;
    if (this.#free < 0) {
      this.#rows.reach(this.#end);
      return this.#end++;
    }
    const row = this.#free;
    this.#free = this.#rows.get(row, this.#link);
    return row;
  }

  give(row: number): void {
    this.#rows.set(row, this.#link, this.#free);
    this.#free = row;
    this.#size -= 1;
    if (this.#size > 0) return;
    // An empty pool releases its memory.
    this.#free = -1;
    this.#end = 0;
    this.#rows.cutAfter(-1);
  }
}
