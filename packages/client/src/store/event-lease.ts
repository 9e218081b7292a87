import type { BlockReader } from './block-reader.ts';
import { entrySizeAt, wholeSizeAt, type EntryMemory } from './entry.ts';

/** Memory that is used again when no event needs it any more. */
export interface LeasedMemory extends EntryMemory {
  /** Number of the latest lease that refers to this memory; 0 for none. Written by {@link EventLeases} only. */
  lastLease: number;
}

/** Maximum size of the entries of one lease, in bytes, unless it has a single entry. */
const MAX_BYTES = 16 * 1024;

/**
 * Keeps the entries of a few events readable. All objects of these events refer to the lease, and the store refers to it
 * weakly: while an event is referenced, the lease is alive.
 *
 * The lease does not refer to the objects: V8 treats weak references as strong ones when it collects young objects, so
 * that every event would survive until the next collection of old objects.
 */
export class EventLease {
  readonly number: number;
  /** Time in milliseconds, by `performance.now()`. */
  readonly openedAt: number;
  /** The memory of each entry, and its position there. One array, because most leases end in the old generation. */
  #places: (LeasedMemory | number)[] = [];
  #bytes = 0;
  readonly #blocks: BlockReader;
  /** Copies of the entries, once the lease has been detached. */
  #copies: (EntryMemory | undefined)[] | undefined;

  constructor(number: number, openedAt: number, blocks: BlockReader) {
    this.number = number;
    this.openedAt = openedAt;
    this.#blocks = blocks;
  }

  /** Reports whether an entry can be added. A large one has a lease of its own, so that small events do not keep it. */
  hasRoomFor(memory: EntryMemory, entry: number): boolean {
    return this.#bytes === 0 || this.#bytes + wholeSizeAt(memory, entry) <= MAX_BYTES;
  }

  get isDetached(): boolean {
    return this.#copies !== undefined;
  }

  /** Adds an entry. Returns its number within the lease. */
  add(memory: LeasedMemory, entry: number): number {
    memory.lastLease = this.number;
    this.#bytes += wholeSizeAt(memory, entry);
    return (this.#places.push(memory, entry) >> 1) - 1;
  }

  /** Returns the copy of an entry, at position 0, if the lease has been detached. It can be taken once. */
  takeCopy(number: number): EntryMemory | undefined {
    const copy = this.#copies?.[number];
    if (copy) (this.#copies as (EntryMemory | undefined)[])[number] = undefined;
    return copy;
  }

  /** Copies the entries, so that their memory can be used again. Copies of compressed entries are plain. */
  detach(): void {
    if (this.#copies) return;
    const places = this.#places;
    this.#copies = Array.from({ length: places.length >> 1 }, (_, at) =>
      this.#copy(places[2 * at] as LeasedMemory, places[2 * at + 1] as number),
    );
    this.#places = [];
  }

  #copy(held: EntryMemory, place: number): EntryMemory {
    const { memory, entry } = this.#blocks.whole(held, place);
    const bytes = Buffer.allocUnsafeSlow(entrySizeAt(memory, entry));
    memory.bytes.copy(bytes, 0, entry, entry + bytes.length);
    return { bytes, ints: new Int32Array(bytes.buffer, 0, bytes.length >> 2) };
  }
}
