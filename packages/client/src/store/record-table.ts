import { IntRows } from './int-rows.ts';

/** Columns of {@link RecordTable}. */
export const RECORD = {
  /** Number of the slab that holds the entry; -1 if the record is free. */
  slab: 0,
  /** Position of the entry in the slab, in bytes. */
  entry: 1,
  /** Hash of the key. */
  hash: 2,
  /** Next record of the same bucket of the key table, or next free record; -1 for none. */
  next: 3,
  /** Number of the namespace. */
  namespace: 4,
  /** Neighbours among the records of the namespace; -1 for none. */
  nextInNamespace: 5,
  previousInNamespace: 6,
  /** Epoch from which the record is visible. */
  born: 7,
  /** Last epoch in which the object is known to exist. */
  seen: 8,
  /** Entry of the decode cache; 0 for none. */
  decoded: 9,
} as const;

const WIDTH = 10;

/** One record of fixed width for each object. Outside the heap, so that the number of objects does not slow V8 down. */
export class RecordTable {
  readonly #rows = new IntRows(WIDTH);
  #free = -1;
  #end = 0;
  #size = 0;

  /** Number of records in use. */
  get size(): number {
    return this.#size;
  }

  /** Records in use are below this number. */
  get end(): number {
    return this.#end;
  }

  get byteLength(): number {
    return this.#rows.byteLength;
  }

  get(record: number, column: number): number {
    return this.#rows.get(record, column);
  }

  set(record: number, column: number, value: number): void {
    this.#rows.set(record, column, value);
  }

  isInUse(record: number): boolean {
    return record >= 0 && record < this.#end && this.#rows.get(record, RECORD.slab) >= 0;
  }

  /** Returns a record, which the caller fills. */
  allocate(): number {
    this.#size += 1;
    if (this.#free >= 0) {
      const record = this.#free;
      this.#free = this.#rows.get(record, RECORD.next);
      return record;
    }
    this.#rows.reach(this.#end);
    return this.#end++;
  }

  free(record: number): void {
    this.#size -= 1;
    this.#rows.set(record, RECORD.slab, -1);
    this.#rows.set(record, RECORD.next, this.#free);
    this.#free = record;
    if (this.#size > 0) return;
    // An empty table gives its memory back.
    this.#free = -1;
    this.#end = 0;
    this.#rows.cutAfter(-1);
  }
}
