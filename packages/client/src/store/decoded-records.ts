import type { Admission, DecodeCache, DecodedOwner } from './decode-cache.ts';
import { RECORD, type RecordTable } from './record-table.ts';

/** The decoded objects of the records of one table. */
export class DecodedRecords implements DecodedOwner {
  readonly #records: RecordTable;
  readonly #cache: DecodeCache;
  readonly #onDrop: () => void;
  #kept = 0;

  /** @param onDrop called when the cache no longer keeps one of the objects. */
  constructor(records: RecordTable, cache: DecodeCache, onDrop: () => void) {
    this.#records = records;
    this.#cache = cache;
    this.#onDrop = onDrop;
  }

  /** Number of objects that the cache keeps. */
  get kept(): number {
    return this.#kept;
  }

  /** Returns the object of a record if it has been decoded and still exists. */
  get(record: number, admission: Admission): object | undefined {
    const slot = this.#records.get(record, RECORD.decoded);
    return slot === 0 ? undefined : this.#cache.get(slot, admission);
  }

  /** Adds the object of a record that has none. @param size its estimated heap in bytes. */
  add(record: number, object: object, size: number, admission: Admission): void {
    this.#cache.add(this, record, object, size, admission);
  }

  /** Removes the object of a record, and returns it if it still exists. */
  forget(record: number): object | undefined {
    const slot = this.#records.get(record, RECORD.decoded);
    return slot === 0 ? undefined : this.#cache.release(slot);
  }

  /** Removes the objects of all records. One step for each record. */
  *forgetAll(): Generator<void, void, undefined> {
    for (let record = 0; record < this.#records.end; record += 1) {
      if (this.#records.isInUse(record)) this.forget(record);
      yield;
    }
  }

  setDecoded(record: number, slot: number): void {
    this.#records.set(record, RECORD.decoded, slot);
  }

  keptChanged(by: 1 | -1): void {
    this.#kept += by;
    if (by < 0) this.#onDrop();
  }
}
