import { BLOCK, ENTRY, ENTRY_FLAG, ENTRY_HEADER, entrySize, entrySizeAt, HEAD, type EntryMemory } from './entry.ts';
import { headLength, writeHead } from './entry-head.ts';

/** Number of the latest block. It starts again after 4 billion blocks. */
let latest = 0;

/** Entries and their compressed bytes, to be written to a slab: a head for each entry, and then the block. */
export class PackedBlock {
  readonly #from: EntryMemory;
  readonly #entries: readonly number[];
  readonly #opened: number;
  readonly #compressed: Uint8Array;
  /** Size of all heads. */
  readonly #heads: number;
  /** Number of bytes of the block that the heads written so far stand for. */
  #shared = 0;

  /**
   * @param entries positions of entries in `from`, one behind the other.
   * @param opened size of all entries.
   */
  constructor(from: EntryMemory, entries: readonly number[], opened: number, compressed: Uint8Array) {
    this.#from = from;
    this.#entries = entries;
    this.#opened = opened;
    this.#compressed = compressed;
    this.#heads = entries.reduce((sum, entry) => sum + entrySize(headLength(from, entry)), 0);
  }

  /** Number of entries. */
  get length(): number {
    return this.#entries.length;
  }

  /** Size of the heads and of the block, in bytes. */
  get size(): number {
    return this.#heads + this.#blockSize;
  }

  /** Number of the record of an entry. */
  recordAt(index: number): number {
    return this.#from.ints[((this.#entries[index] as number) >> 2) + ENTRY.record] as number;
  }

  /**
   * Writes the head of an entry. Must be called for all entries in their order.
   *
   * @param start position of the first head, in bytes.
   */
  writeHead(index: number, memory: EntryMemory, at: number, start: number): void {
    const entry = this.#entries[index] as number;
    const size = entrySizeAt(this.#from, entry);
    const isLast = index === this.#entries.length - 1;
    const share = isLast ? this.#blockSize - this.#shared : Math.floor((this.#blockSize * size) / this.#opened);
    this.#shared += share;
    writeHead(this.#from, entry, memory, at);
    const header = at >> 2;
    memory.ints[header + HEAD.block] = start + this.#heads;
    memory.ints[header + HEAD.place] = entry;
    memory.ints[header + HEAD.size] = size;
    memory.ints[header + HEAD.share] = share;
  }

  /** Writes the block behind the heads. */
  writeBlock({ bytes, ints }: EntryMemory, at: number): void {
    const header = at >> 2;
    latest = (latest + 1) | 0;
    ints.fill(0, header, header + ENTRY_HEADER / 4);
    ints[header + ENTRY.record] = -1;
    ints[header + ENTRY.length] = this.#compressed.length;
    ints[header + ENTRY.flags] = ENTRY_FLAG.block;
    ints[header + BLOCK.id] = latest;
    ints[header + BLOCK.opened] = this.#opened;
    bytes.set(this.#compressed, at + ENTRY_HEADER);
  }

  get #blockSize(): number {
    return entrySize(this.#compressed.length);
  }
}
