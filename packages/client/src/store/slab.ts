import type { EntryMemory } from './entry.ts';

/**
 * Shared memory that is filled with entries from its start. It is shared because V8 counts ordinary buffers as pressure
 * on the heap, and collects garbage because of them.
 */
export class Slab implements EntryMemory {
  readonly bytes: Buffer;
  readonly ints: Int32Array;
  /** Position of the next entry, in bytes. */
  used = 0;
  /** Number of bytes of entries that are in use. */
  alive = 0;
  /** Number of the latest lease that refers to this slab; 0 for none. */
  lastLease = 0;

  /** @param size in bytes, a multiple of 4. */
  constructor(size: number) {
    const memory = new SharedArrayBuffer(size);
    this.bytes = Buffer.from(memory);
    this.ints = new Int32Array(memory);
  }

  get size(): number {
    return this.bytes.length;
  }
}
