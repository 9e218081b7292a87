import type { EntryMemory } from './entry.ts';
import { sharedMemory } from './shared-memory.ts';

/** Shared memory that is filled with entries from its start. */
export class Slab implements EntryMemory {
  readonly bytes: Buffer;
  readonly ints: Int32Array;
  /** Position of the next entry, in bytes. */
  used = 0;
  /** Number of bytes of entries that are in use. */
  alive = 0;
  /** Position up to which entries have been offered for compression, in bytes. */
  offered = 0;
  /** Number of times that the slab was emptied to be used again. */
  uses = 0;
  /** Number of the latest lease that refers to this slab; 0 for none. */
  lastLease = 0;

  /** @param size in bytes, a multiple of 4. */
  constructor(size: number) {
    const memory = sharedMemory(size);
    // Views of a fixed length are faster than those that follow the length of growable memory.
    this.bytes = Buffer.from(memory, 0, size);
    this.ints = new Int32Array(memory, 0, size / 4);
  }

  get size(): number {
    return this.bytes.length;
  }
}
