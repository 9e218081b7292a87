import type { BlockCodec } from './block-codec.ts';
import { entrySizeAt, type EntryMemory } from './entry.ts';
import { PackedBlock } from './packed-block.ts';

/** Size up to which entries are added to a block, in bytes. Larger entries have a block of their own. */
export const BLOCK_SIZE = 32 * 1024;

/** Memory for the next block. One serves all stores, because a store fills and compresses a block in one turn. */
let spare: EntryMemory | undefined;

/** Collects entries that are compressed together. */
export class EntryBlock {
  readonly #codec: BlockCodec;
  /** `undefined` while there are no entries. */
  #memory: EntryMemory | undefined;
  #entries: number[] = [];
  #size = 0;

  constructor(codec: BlockCodec) {
    this.#codec = codec;
  }

  /** Adds a copy of an entry. Returns whether there is room for it, as for the first one always. */
  add(memory: EntryMemory, entry: number): boolean {
    const size = entrySizeAt(memory, entry);
    if (this.#size + size > BLOCK_SIZE && this.#size > 0) return false;
    this.#memory ??= takeMemory(size);
    this.#entries.push(this.#size);
    this.#size += memory.bytes.copy(this.#memory.bytes, this.#size, entry, entry + size);
    return true;
  }

  /** Compresses the entries. Returns `undefined` if there are none, if this fails, or if it saves too little. */
  pack(): PackedBlock | undefined {
    if (!this.#memory) return undefined;
    try {
      const compressed = this.#codec.compress(this.#memory.bytes.subarray(0, this.#size));
      const packed = new PackedBlock(this.#memory, this.#entries, this.#size, compressed);
      return packed.size <= this.#size * this.#codec.worthwhile ? packed : undefined;
    } catch {
      // The entries stay plain.
      return undefined;
    }
  }

  /** Removes the entries. A block that {@link pack} returned must have been written before. */
  clear(): void {
    if (this.#memory?.bytes.length === BLOCK_SIZE) spare = this.#memory;
    this.#memory = undefined;
    this.#entries = [];
    this.#size = 0;
  }
}

function takeMemory(size: number): EntryMemory {
  if (size > BLOCK_SIZE || !spare) return memoryOf(Math.max(size, BLOCK_SIZE));
  const memory = spare;
  spare = undefined;
  return memory;
}

function memoryOf(size: number): EntryMemory {
  const bytes = Buffer.allocUnsafeSlow(size);
  return { bytes, ints: new Int32Array(bytes.buffer, 0, size >> 2) };
}
