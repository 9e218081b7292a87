import type { BlockCodec } from './block-codec.ts';
import { EntryBlock } from './entry-block.ts';
import { entrySizeAt } from './entry.ts';
import type { ObjectTable } from './object-table.ts';
import { LARGEST_SLAB } from './slab-pool.ts';

export interface CompressionScope {
  /** Whether to include the slab that is being filled. */
  readonly rest: boolean;
}

/**
 * Compresses the entries of a store, one block in a step, which takes a fraction of a millisecond. Entries that cannot
 * be compressed stay plain, and are not tried again until compaction moves them.
 */
export class Compression {
  readonly #table: () => ObjectTable;
  readonly #block: EntryBlock;

  /** @param table returns the current table. */
  constructor(table: () => ObjectTable, codec: BlockCodec) {
    this.#table = table;
    this.#block = new EntryBlock(codec);
  }

  /** Reports whether at least `bytes` of entries wait for compression. */
  hasWaiting(bytes: number, scope: CompressionScope): boolean {
    let waiting = 0;
    for (const [, { used, offered }] of this.#table().slabs.toCompress(scope)) {
      waiting += used - offered;
      if (waiting >= bytes) return true;
    }
    return false;
  }

  /** Compresses one block. Returns `false` if no entry waits. @throws {RangeError} if there is no memory for the block. */
  step(scope: CompressionScope): boolean {
    const table = this.#table();
    const hasOffered = this.#collect(table, scope);
    try {
      const packed = this.#block.pack();
      if (packed) table.compress(packed);
    } finally {
      // Also if there is no memory for the block: later, its entries could be those of earlier objects.
      this.#block.clear();
      table.slabs.settle();
    }
    return hasOffered;
  }

  /** Fills the block. Returns `false` if no entry waits. */
  #collect(table: ObjectTable, scope: CompressionScope): boolean {
    let hasOffered = false;
    for (const [number, slab] of table.slabs.toCompress(scope)) {
      while (slab.offered < slab.used) {
        const size = entrySizeAt(slab, slab.offered);
        // A larger one would block the thread for too long.
        const isWanted = size <= LARGEST_SLAB && table.isAlive(number, slab.offered);
        if (isWanted && !this.#block.add(slab, slab.offered)) return true;
        slab.offered += size;
        hasOffered = true;
      }
    }
    return hasOffered;
  }
}
