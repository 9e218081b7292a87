import { HEAD, isHead, type EntryMemory, type EntryPlace } from './entry.ts';
import { openedBlocks, type OpenedBlocks } from './opened-blocks.ts';

/** Finds the whole entries of one store's objects, and opens blocks for it. */
export class BlockReader {
  readonly #opened: OpenedBlocks;
  #opens = 0;

  constructor(opened: OpenedBlocks = openedBlocks) {
    this.#opened = opened;
  }

  /** Number of blocks that were opened. */
  get opens(): number {
    return this.#opens;
  }

  /** Returns the place of the whole entry. It is valid during this turn of the event loop. */
  whole(memory: EntryMemory, entry: number): EntryPlace {
    if (!isHead(memory, entry)) return { memory, entry };
    const before = this.#opened.opens;
    const opened = this.#opened.open(memory, memory.ints[(entry >> 2) + HEAD.block] as number);
    this.#opens += this.#opened.opens - before;
    return { memory: opened, entry: memory.ints[(entry >> 2) + HEAD.place] as number };
  }
}
