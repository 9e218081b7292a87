import { IntRows } from './int-rows.ts';
import { RECORD } from './record-table.ts';

/** Columns of the records that a {@link KeyTable} finds. */
export interface KeyColumns {
  readonly hash: number;
  /** Next record of the same bucket; -1 for none. Written by the table only. */
  readonly next: number;
}

/** Minimum number of buckets. */
const LEAST = 16;

/**
 * Finds records by the hash of their key: a hash table by linear hashing. It has about one bucket per record. Each
 * insertion splits at most one bucket and each removal joins at most two, so no change takes long.
 */
export class KeyTable {
  readonly #records: Pick<IntRows, 'get' | 'set'>;
  readonly #hash: number;
  readonly #next: number;
  /** First record of each bucket, plus one; 0 for none. */
  readonly #buckets = new IntRows(1);
  /** Number of buckets at the start of this round of splits: a power of two. */
  #base = LEAST;
  /** Number of buckets that were split in this round. */
  #split = 0;
  #size = 0;

  constructor(records: Pick<IntRows, 'get' | 'set'>, { hash, next }: KeyColumns = RECORD) {
    this.#records = records;
    this.#hash = hash;
    this.#next = next;
    this.#buckets.reach(LEAST - 1);
  }

  get byteLength(): number {
    return this.#buckets.byteLength;
  }

  /** Returns the first record of the hash's bucket, or -1. The next ones are linked by {@link KeyColumns.next}. */
  first(hash: number): number {
    return this.#buckets.get(this.#bucketOf(hash), 0) - 1;
  }

  insert(record: number): void {
    const bucket = this.#bucketOf(this.#records.get(record, this.#hash));
    this.#push(bucket, record);
    this.#size += 1;
    if (this.#size > this.#base + this.#split) this.#grow();
  }

  remove(record: number): void {
    const records = this.#records;
    const bucket = this.#bucketOf(records.get(record, this.#hash));
    const next = records.get(record, this.#next);
    let previous = this.#buckets.get(bucket, 0) - 1;
    if (previous === record) {
      this.#buckets.set(bucket, 0, next + 1);
    } else {
      for (;;) {
        const following = records.get(previous, this.#next);
        if (following === record) break;
        previous = following;
      }
      records.set(previous, this.#next, next);
    }
    this.#size -= 1;
    // Twice, so that the buckets keep up with a table that becomes empty.
    for (let times = 0; times < 2; times++) {
      const buckets = this.#base + this.#split;
      if (buckets > LEAST && this.#size * 2 < buckets) this.#shrink();
    }
  }

  #bucketOf(hash: number): number {
    const bucket = hash & (this.#base - 1);
    return bucket < this.#split ? hash & (this.#base * 2 - 1) : bucket;
  }

  #push(bucket: number, record: number): void {
    this.#records.set(record, this.#next, this.#buckets.get(bucket, 0) - 1);
    this.#buckets.set(bucket, 0, record + 1);
  }

  /** Splits the next bucket. */
  #grow(): void {
    const from = this.#split;
    this.#buckets.reach(this.#base + from);
    this.#split += 1;
    let record = this.#take(from);
    while (record >= 0) {
      const next = this.#records.get(record, this.#next);
      this.#push(this.#bucketOf(this.#records.get(record, this.#hash)), record);
      record = next;
    }
    if (this.#split < this.#base) return;
    this.#base *= 2;
    this.#split = 0;
  }

  /** Joins the last bucket with the one that it was split from. */
  #shrink(): void {
    if (this.#split === 0) {
      this.#base /= 2;
      this.#split = this.#base;
    }
    this.#split -= 1;
    let record = this.#take(this.#base + this.#split);
    while (record >= 0) {
      const next = this.#records.get(record, this.#next);
      this.#push(this.#split, record);
      record = next;
    }
    this.#buckets.cutAfter(this.#base + this.#split - 1);
  }

  /** Empties a bucket, and returns its first record, or -1. */
  #take(bucket: number): number {
    const first = this.#buckets.get(bucket, 0) - 1;
    this.#buckets.set(bucket, 0, 0);
    return first;
  }
}
