import type { ObjectTable } from './object-table.ts';
import { RECORD } from './record-table.ts';
import { sharedMemory } from './shared-memory.ts';
import type { Slab } from './slab.ts';

/** The entries of a store at one moment. Their slabs are not used again while the snapshot is referenced. */
export class Snapshot {
  readonly #slabs: Slab[] = [];
  /** Number in {@link #slabs} and position of each entry. */
  readonly #entries: Int32Array;
  readonly #referenced: Set<Slab>;
  #next = 0;

  /** @param count number of the records. */
  constructor(table: ObjectTable, records: Iterable<number>, count: number) {
    const numbers = new Map<number, number>();
    this.#entries = new Int32Array(sharedMemory(count * 8), 0, count * 2);
    let at = 0;
    for (const record of records) {
      const slab = table.records.get(record, RECORD.slab);
      let number = numbers.get(slab);
      if (number === undefined) {
        number = this.#slabs.push(table.slabs.get(slab)) - 1;
        numbers.set(slab, number);
      }
      this.#entries[at++] = number;
      this.#entries[at++] = table.entryOf(record);
    }
    this.#referenced = new Set(this.#slabs);
  }

  /** Whether entries are left. */
  get isOpen(): boolean {
    return this.#referenced.size > 0;
  }

  isReferenced(slab: Slab): boolean {
    return this.#referenced.has(slab);
  }

  /** Returns the next entry, or `undefined` at the end. Then no slab is referenced any more. */
  next(): { readonly slab: Slab; readonly entry: number } | undefined {
    if (this.#next < this.#entries.length) {
      const slab = this.#slabs[this.#entries[this.#next++] as number] as Slab;
      return { slab, entry: this.#entries[this.#next++] as number };
    }
    this.#slabs.length = 0;
    this.#referenced.clear();
    return undefined;
  }
}
