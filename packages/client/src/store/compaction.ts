import { workInSpareTime } from '../clock/event-loop-turn.ts';
import { backgroundFailure } from '../log/background-failure.ts';
import type { BlockCodec } from './block-codec.ts';
import { Compression } from './compression.ts';
import { BLOCK_SIZE } from './entry-block.ts';
import { entrySizeAt } from './entry.ts';
import type { ObjectTable } from './object-table.ts';
import { quietStores, type QuietStore } from './quiet-stores.ts';

/** Number of bytes for which it is worthwhile to compress a slab that is not full. */
const WORTHWHILE_REST = BLOCK_SIZE / 2;

/** Time before another attempt after a failure, in milliseconds. It doubles from the first to the last. */
const RETRY_AFTER = { first: 1_000, last: 60_000 };

const FULL = { rest: false };
const ALL = { rest: true };

/**
 * Makes a store smaller in spare time: compresses full slabs, and moves the entries of sparse slabs to other slabs, so
 * that the sparse slabs become free.
 */
export class Compaction implements QuietStore {
  readonly #table: () => ObjectTable;
  readonly #compression: Compression | undefined;
  #isRunning = false;
  /** Whether to compress the slab that is being filled, too. */
  #isFinishing = false;
  #slabs = 0;
  #bytes = 0;

  /**
   * @param table returns the current table.
   * @param codec compresses slabs. Default: slabs stay plain.
   */
  constructor(table: () => ObjectTable, codec?: BlockCodec) {
    this.#table = table;
    this.#compression = codec && new Compression(table, codec);
  }

  /** Number of slabs that were compacted. */
  get slabs(): number {
    return this.#slabs;
  }

  /** Number of bytes that were moved. */
  get bytes(): number {
    return this.#bytes;
  }

  get written(): number {
    return this.#table().slabs.written;
  }

  /** Compresses and compacts all slabs that wait for it, unless it does so already. */
  start(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    void this.#run();
  }

  /** Must be called after a write. */
  noteWrite(): void {
    if (this.#compression) quietStores.watch(this);
  }

  /** Like {@link noteWrite}, for one of many writes: compresses a block if one is full, so that few bytes wait. */
  keepUp(): void {
    this.noteWrite();
    if (this.#compression?.hasWaiting(BLOCK_SIZE, FULL)) this.#compression.step(FULL);
  }

  /** Compresses the entries that are left in spare time, if they have at least {@link WORTHWHILE_REST} bytes. */
  finish(): void {
    if (!this.#compression?.hasWaiting(WORTHWHILE_REST, ALL)) return;
    this.#isFinishing = true;
    this.start();
  }

  /** Compresses all entries now. */
  finishNow(): void {
    while (this.#compression?.step(ALL));
  }

  /** Works until nothing waits. Retries after a failure, for example if there is no memory for another slab. */
  async #run(): Promise<void> {
    for (let wait = RETRY_AFTER.first; ; wait = Math.min(2 * wait, RETRY_AFTER.last)) {
      try {
        await workInSpareTime(this.#steps(), () => true);
        return;
      } catch (error) {
        backgroundFailure('compaction of a cache', error);
        // Unreferenced, so that the timer does not keep the process running.
        const pause = wait;
        await new Promise((resolve) => setTimeout(resolve, pause).unref());
      }
    }
  }

  /** One step for each compressed block and for each entry that is moved. */
  *#steps(): Generator<void, void, undefined> {
    for (;;) {
      yield* this.#compress();
      const table = this.#table();
      const number = table.slabs.takeSparse();
      if (number === undefined) break;
      yield* this.#compact(table, number);
    }
    this.#isRunning = false;
  }

  *#compress(): Generator<void, void, undefined> {
    const compression = this.#compression;
    while (compression?.hasWaiting(BLOCK_SIZE, FULL)) {
      compression.step(FULL);
      yield;
    }
    if (!this.#isFinishing) return;
    this.#isFinishing = false;
    while (compression?.step(ALL)) yield;
  }

  *#compact(table: ObjectTable, number: number): Generator<void, void, undefined> {
    this.#slabs += 1;
    const slab = table.slabs.get(number);
    const { uses } = slab;
    let entry = 0;
    // The slab may have become empty, and have other entries under the same number.
    while (entry < slab.used && slab.uses === uses && table.slabs.has(number, slab)) {
      const next = entry + entrySizeAt(slab, entry);
      const moved = this.#move(table, number, entry);
      this.#bytes += moved;
      if (moved > 0) this.noteWrite();
      entry = next;
      yield;
      // Entries of compressed blocks become plain when they are moved.
      yield* this.#compress();
    }
  }

  #move(table: ObjectTable, number: number, entry: number): number {
    try {
      return table.move(number, entry);
    } catch (error) {
      table.slabs.putBackSparse(number);
      throw error;
    }
  }
}
