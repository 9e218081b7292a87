/** Sizes of blocks, in bytes. */
const SMALLEST_BLOCK = 1024;
const LARGEST_BLOCK = 1024 * 1024;
/** Places begin and end at multiples of 8 bytes. */
const GRAIN_BITS = 3;
/** Number of bits of a position within a block, in grains. */
const POSITION_BITS = 17;
const POSITION_MASK = (1 << POSITION_BITS) - 1;

interface Block {
  readonly bytes: Uint8Array;
  /** The same memory. */
  readonly ints: Int32Array;
}

/**
 * Texts outside the heap, in UTF-16 unless they are ASCII. Places have few sizes, so that the place of a text that was
 * removed fits later ones. Blocks are shared memory, because V8 collects garbage for the sake of other buffers.
 */
export class TextArena {
  readonly #blocks: (Block | undefined)[] = [];
  /** Numbers of blocks that are free. */
  readonly #freeBlocks: number[] = [];
  /** Number of the block that is filled; -1 for none. */
  #filled = -1;
  /** End of the places in {@link #filled}, in bytes. */
  #end = 0;
  /** First free place of each class of sizes; 0 for none. Its first integer is the next one. */
  readonly #freePlaces: number[] = [];
  #size = 0;

  get byteLength(): number {
    return this.#blocks.reduce((sum, block) => sum + (block?.bytes.length ?? 0), 0);
  }

  /** Adds a text. Returns its address, which is not 0. */
  add(text: string, isAscii: boolean): number {
    this.#size += 1;
    const address = this.#allocate(isAscii ? text.length : 2 * text.length);
    const { bytes } = this.#blockOf(address);
    let at = positionOf(address);
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index);
      bytes[at++] = code;
      if (!isAscii) bytes[at++] = code >> 8;
    }
    return address;
  }

  /** Reports whether the text at `address`, which has the same length and encoding as `text`, is equal to it. */
  isAt(address: number, text: string, isAscii: boolean): boolean {
    const { bytes } = this.#blockOf(address);
    let at = positionOf(address);
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index);
      if (bytes[at++] !== (code & 0xff)) return false;
      if (!isAscii && bytes[at++] !== code >> 8) return false;
    }
    return true;
  }

  /** @param length length of the text, in UTF-16 code units. */
  remove(address: number, length: number, isAscii: boolean): void {
    this.#size -= 1;
    if (this.#size === 0) {
      this.#clear();
      return;
    }
    const place = classOf(isAscii ? length : 2 * length);
    if (sizeOf(place) > LARGEST_BLOCK) {
      this.#blocks[address >>> POSITION_BITS] = undefined;
      this.#freeBlocks.push(address >>> POSITION_BITS);
      return;
    }
    this.#blockOf(address).ints[positionOf(address) >> 2] = this.#freePlaces[place] ?? 0;
    this.#freePlaces[place] = address;
  }

  /** An empty arena needs no memory. */
  #clear(): void {
    this.#blocks.length = 0;
    this.#freeBlocks.length = 0;
    this.#freePlaces.length = 0;
    this.#filled = -1;
    this.#end = 0;
  }

  #allocate(length: number): number {
    const place = classOf(length);
    const free = this.#freePlaces[place];
    if (free) {
      this.#freePlaces[place] = this.#blockOf(free).ints[positionOf(free) >> 2] as number;
      return free;
    }
    const size = sizeOf(place);
    // The first 8 bytes of a block are left out, so that no address is 0.
    if (size > LARGEST_BLOCK) return addressOf(this.#addBlock(size + 8), 8);
    const block = this.#blocks[this.#filled];
    if (!block || this.#end + size > block.bytes.length) {
      const next = Math.min(Math.max(2 * (block?.bytes.length ?? 0), SMALLEST_BLOCK), LARGEST_BLOCK);
      this.#filled = this.#addBlock(Math.max(next, size + 8));
      this.#end = 8;
    }
    this.#end += size;
    return addressOf(this.#filled, this.#end - size);
  }

  #addBlock(size: number): number {
    const memory = new SharedArrayBuffer(size);
    const block: Block = { bytes: new Uint8Array(memory), ints: new Int32Array(memory) };
    const number = this.#freeBlocks.pop() ?? this.#blocks.length;
    this.#blocks[number] = block;
    return number;
  }

  #blockOf(address: number): Block {
    return this.#blocks[address >>> POSITION_BITS] as Block;
  }
}

function addressOf(block: number, position: number): number {
  return (block << POSITION_BITS) | (position >> GRAIN_BITS);
}

function positionOf(address: number): number {
  return (address & POSITION_MASK) << GRAIN_BITS;
}

/** Sizes of places: 8, 16, … 64, and then four for each power of two: 80, 96, 112, 128, 160, … */
function classOf(length: number): number {
  const grains = Math.max((length + 7) >> GRAIN_BITS, 1);
  if (grains <= 8) return grains;
  const shift = 29 - Math.clz32(grains - 1);
  return 4 * shift + ((grains - 1) >> shift) + 1;
}

/** Inverse of {@link classOf}. */
function sizeOf(place: number): number {
  if (place <= 8) return place << GRAIN_BITS;
  const shift = ((place - 1) >> 2) - 1;
  return (place - 4 * shift) << (shift + GRAIN_BITS);
}
