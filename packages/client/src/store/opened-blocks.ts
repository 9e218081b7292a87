import { openBlock } from './block-codec.ts';
import { BLOCK, ENTRY, ENTRY_HEADER, type EntryMemory } from './entry.ts';

/** Size of the blocks that stay open, in bytes: that of about a hundred blocks. */
const BUDGET = 4 * 1024 * 1024;

export interface OpenedBlocksOptions {
  /** Maximum size of the blocks that stay open, in bytes. */
  readonly budget?: number;
}

/**
 * Keeps the compressed blocks that were read last in opened form. They are found by the numbers of the blocks, not by
 * their places. So they do not keep slabs, and a slab can be used again.
 */
export class OpenedBlocks {
  readonly #budget: number;
  /** The block that was read last is at the end. */
  readonly #opened = new Map<number, EntryMemory>();
  #used = 0;
  #opens = 0;

  constructor({ budget = BUDGET }: OpenedBlocksOptions = {}) {
    this.#budget = budget;
  }

  /** Size of the blocks that are open, in bytes. */
  get used(): number {
    return this.#used;
  }

  /** Number of blocks that were opened. */
  get opens(): number {
    return this.#opens;
  }

  /** Returns the entries of the block at a position. */
  open({ bytes, ints }: EntryMemory, block: number): EntryMemory {
    const header = block >> 2;
    const id = ints[header + BLOCK.id] as number;
    const known = this.#opened.get(id);
    if (known) {
      this.#opened.delete(id);
      this.#opened.set(id, known);
      return known;
    }
    this.#opens += 1;
    const start = block + ENTRY_HEADER;
    const end = start + (ints[header + ENTRY.length] as number);
    const opened = entriesIn(openBlock(bytes.subarray(start, end), ints[header + BLOCK.opened] as number));
    this.#add(id, opened);
    return opened;
  }

  #add(id: number, opened: EntryMemory): void {
    this.#opened.set(id, opened);
    this.#used += opened.bytes.length;
    for (const [first, { bytes }] of this.#opened) {
      if (this.#used <= this.#budget) break;
      this.#opened.delete(first);
      this.#used -= bytes.length;
    }
  }
}

function entriesIn(bytes: Buffer): EntryMemory {
  return { bytes, ints: new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2) };
}

/** The opened blocks of the process. */
export const openedBlocks = new OpenedBlocks();
