import { IndexValues, VALUE } from './index-values.ts';
import { IntRows } from './int-rows.ts';
import { RowPool } from './row-pool.ts';

/** Columns of a posting: that a record has a value. All links are -1 for none. */
const POSTING = {
  record: 0,
  value: 1,
  /** Neighbours among the postings of the value, in the order in which they were added. */
  next: 2,
  previous: 3,
  /** Next posting of the record. */
  nextOfRecord: 4,
} as const;

/**
 * An index: which records have which values. A record keeps its values, so that it can be removed without its object.
 * Everything is outside the heap: there is no JavaScript object for a record or a value.
 */
export class Postings {
  readonly #values = new IndexValues();
  readonly #postings = new RowPool(5, POSTING.next);
  /** First posting of each record, plus one; 0 for none. */
  #firstOfRecord = new IntRows(1);
  /** Records below this number have a row in {@link #firstOfRecord}. */
  #records = 0;

  /** Number of distinct values. */
  get values(): number {
    return this.#values.size;
  }

  get byteLength(): number {
    return this.#values.byteLength + this.#postings.byteLength + this.#firstOfRecord.byteLength;
  }

  /** Adds a record that is not in the index. A value that is repeated counts once. */
  add(record: number, values: readonly string[]): void {
    for (const value of values.length > 1 ? new Set(values) : values) this.#addPosting(record, value);
  }

  /** Removes a record, if it is in the index. */
  remove(record: number): void {
    if (record >= this.#records) return;
    let posting = this.#firstOfRecord.get(record, 0) - 1;
    this.#firstOfRecord.set(record, 0, 0);
    while (posting >= 0) {
      const next = this.#postings.get(posting, POSTING.nextOfRecord);
      this.#removePosting(posting);
      posting = next;
    }
    if (this.#postings.size > 0) return;
    this.#firstOfRecord = new IntRows(1);
    this.#records = 0;
  }

  /** Returns the number of records that have a value. */
  count(value: string): number {
    const number = this.#values.find(value);
    return number < 0 ? 0 : this.#values.get(number, VALUE.count);
  }

  /** Returns the records that have a value, in the order in which they were added. */
  records(value: string): Int32Array {
    const number = this.#values.find(value);
    const found = new Int32Array(number < 0 ? 0 : this.#values.get(number, VALUE.count));
    let posting = number < 0 ? -1 : this.#values.get(number, VALUE.first);
    for (let at = 0; at < found.length; at += 1) {
      found[at] = this.#postings.get(posting, POSTING.record);
      posting = this.#postings.get(posting, POSTING.next);
    }
    return found;
  }

  /** Returns a function that reports whether a record has a value. The index must not change in the meantime. */
  membership(value: string): (record: number) => boolean {
    const number = this.#values.find(value);
    return (record) => {
      if (number < 0 || record >= this.#records) return false;
      let posting = this.#firstOfRecord.get(record, 0) - 1;
      while (posting >= 0 && this.#postings.get(posting, POSTING.value) !== number) {
        posting = this.#postings.get(posting, POSTING.nextOfRecord);
      }
      return posting >= 0;
    };
  }

  #addPosting(record: number, text: string): void {
    const values = this.#values;
    const postings = this.#postings;
    const found = values.find(text);
    const value = found < 0 ? values.add(text) : found;
    if (record >= this.#records) {
      this.#firstOfRecord.reach(record);
      this.#records = record + 1;
    }
    const posting = postings.take();
    const previous = values.get(value, VALUE.last);
    postings.set(posting, POSTING.record, record);
    postings.set(posting, POSTING.value, value);
    postings.set(posting, POSTING.next, -1);
    postings.set(posting, POSTING.previous, previous);
    postings.set(posting, POSTING.nextOfRecord, this.#firstOfRecord.get(record, 0) - 1);
    this.#firstOfRecord.set(record, 0, posting + 1);
    if (previous < 0) values.set(value, VALUE.first, posting);
    else postings.set(previous, POSTING.next, posting);
    values.set(value, VALUE.last, posting);
    values.set(value, VALUE.count, values.get(value, VALUE.count) + 1);
  }

  #removePosting(posting: number): void {
    const values = this.#values;
    const postings = this.#postings;
    const value = postings.get(posting, POSTING.value);
    const next = postings.get(posting, POSTING.next);
    const previous = postings.get(posting, POSTING.previous);
    postings.give(posting);
    const count = values.get(value, VALUE.count) - 1;
    if (count === 0) {
      values.remove(value);
      return;
    }
    values.set(value, VALUE.count, count);
    if (previous < 0) values.set(value, VALUE.first, next);
    else postings.set(previous, POSTING.next, next);
    if (next < 0) values.set(value, VALUE.last, previous);
    else postings.set(next, POSTING.previous, previous);
  }
}
