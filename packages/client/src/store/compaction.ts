import { workInSpareTime } from '../clock/event-loop-turn.ts';
import { ENTRY, entrySize } from './entry.ts';
import type { ObjectTable } from './object-table.ts';

/** Moves the entries of sparse slabs together, in spare time, so that the slabs become free. */
export class Compaction {
  readonly #table: () => ObjectTable;
  #isRunning = false;
  #slabs = 0;
  #bytes = 0;

  /** @param table returns the current table. */
  constructor(table: () => ObjectTable) {
    this.#table = table;
  }

  /** Number of slabs that were compacted. */
  get slabs(): number {
    return this.#slabs;
  }

  /** Number of bytes that were moved. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Compacts all sparse slabs, unless it does so already. */
  start(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    void workInSpareTime(this.#steps(), () => true).finally(() => (this.#isRunning = false));
  }

  /** One step for each entry. */
  *#steps(): Generator<void, void, undefined> {
    for (
      let number = this.#table().slabs.takeSparse();
      number !== undefined;
      number = this.#table().slabs.takeSparse()
    ) {
      yield* this.#compact(this.#table(), number);
    }
  }

  *#compact(table: ObjectTable, number: number): Generator<void, void, undefined> {
    this.#slabs += 1;
    const slab = table.slabs.get(number);
    let entry = 0;
    while (entry < slab.used && table.slabs.has(number, slab)) {
      const next = entry + entrySize(slab.ints[(entry >> 2) + ENTRY.length] as number);
      this.#bytes += table.move(number, entry);
      entry = next;
      yield;
    }
  }
}
