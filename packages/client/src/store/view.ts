import { InformerStoppedError } from './informer-stopped-error.ts';
import type { ObjectTable } from './object-table.ts';
import { RECORD } from './record-table.ts';
import type { Slab } from './slab.ts';

/** The place of an entry. Its slab is not used again while a view refers to it. */
interface Place {
  readonly slab: Slab;
  readonly entry: number;
}

export interface ViewOptions<R> {
  readonly table: ObjectTable;
  /** The epoch whose records are visible. */
  readonly epoch: number;
  /** Records that may be visible, in order. Default: all. */
  readonly candidates?: Int32Array | undefined;
  /** Reads the record to which a view has moved. */
  readonly read: (view: ViewedRecord) => R;
  /** Whether the table is still that of the store. */
  readonly isCurrent: () => boolean;
  readonly onEnd: () => void;
}

/** The record to which a {@link View} has moved. */
export interface ViewedRecord extends Place {
  /** Number of the record; -1 if it has changed since the view began. */
  readonly record: number;
}

/**
 * Iterates over the visible records of a store as they are when it begins, also if the caller takes several turns of the
 * event loop. It begins and continues without a copy: each record that changes leaves its previous place with the view.
 */
export class View<R> implements IterableIterator<R, undefined>, ViewedRecord {
  readonly #options: ViewOptions<R>;
  /** Records from this number on were added later. */
  readonly #end: number;
  /** Previous places of records that have changed; `undefined` for those that were not visible. */
  readonly #changed = new Map<number, Place | undefined>();
  readonly #slabs = new Set<Slab>();
  #next = 0;
  #slab: Slab | undefined;
  record = -1;
  entry = 0;

  constructor(options: ViewOptions<R>) {
    this.#options = options;
    this.#end = options.table.records.end;
  }

  get slab(): Slab {
    // Set when `read` is called.
    return this.#slab as Slab;
  }

  /** Must be called before a record changes or is removed. */
  beforeChange(record: number): void {
    const { table, candidates } = this.#options;
    const isOver = candidates === undefined && record < this.#next;
    if (isOver || record >= this.#end || this.#changed.has(record)) return;
    if (!this.#isVisible(record)) {
      this.#changed.set(record, undefined);
      return;
    }
    const slab = table.slabOf(record);
    this.#changed.set(record, { slab, entry: table.entryOf(record) });
    this.#slabs.add(slab);
  }

  /** Must be called after a record was added. */
  added(record: number): void {
    if (record < this.#end && !this.#changed.has(record)) this.#changed.set(record, undefined);
  }

  isReferenced(slab: Slab): boolean {
    return this.#slabs.has(slab);
  }

  /** @throws {InformerStoppedError} if the objects of the store were cleared. An error of `read` ends the view, too. */
  next(): IteratorResult<R, undefined> {
    if (!this.#options.isCurrent()) throw new InformerStoppedError();
    if (!this.#advance()) return this.return();
    try {
      return { done: false, value: this.#options.read(this) };
    } catch (error) {
      this.return();
      throw error;
    }
  }

  return(): IteratorResult<R, undefined> {
    this.#next = Infinity;
    this.#options.onEnd();
    return { done: true, value: undefined };
  }

  [Symbol.iterator](): this {
    return this;
  }

  /** Moves to the next record that was visible. */
  #advance(): boolean {
    const { table, candidates } = this.#options;
    const end = candidates?.length ?? this.#end;
    while (this.#next < end) {
      const at = this.#next++;
      if (this.#moveTo(candidates ? (candidates[at] as number) : at, table)) return true;
    }
    return false;
  }

  #moveTo(record: number, table: ObjectTable): boolean {
    if (this.#changed.size > 0 && this.#changed.has(record)) {
      const place = this.#changed.get(record);
      if (!place) return false;
      this.record = -1;
      this.#slab = place.slab;
      this.entry = place.entry;
      return true;
    }
    if (!this.#isVisible(record)) return false;
    this.record = record;
    this.#slab = table.slabOf(record);
    this.entry = table.entryOf(record);
    return true;
  }

  #isVisible(record: number): boolean {
    const { table, epoch } = this.#options;
    const { records } = table;
    return (
      records.isInUse(record) && records.get(record, RECORD.born) <= epoch && records.get(record, RECORD.seen) >= epoch
    );
  }
}
