import { RowPool } from './row-pool.ts';

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
export class RecordTable extends RowPool {
  constructor() {
    super(WIDTH, RECORD.next);
  }

  isInUse(record: number): boolean {
    return record >= 0 && record < this.end && this.get(record, RECORD.slab) >= 0;
  }

  override give(record: number): void {
    this.set(record, RECORD.slab, -1);
    super.give(record);
  }
}
