import { ENTRY, ENTRY_FLAG, entrySize, entrySizeAt, HEAD } from './entry.ts';
import { LARGEST_SLAB, SMALLEST_SLAB, type SlabPool } from './slab-pool.ts';
import { Slab } from './slab.ts';

/** An entry of more bytes has a slab of its own, of its own size, so that little is wasted at the end of slabs. */
const LARGE = LARGEST_SLAB / 8;

/** Share of a slab's bytes in use below which compaction moves the entries that are left. */
const SPARSE = 0.7;

export interface EntrySlabsOptions {
  readonly pool: SlabPool;
  /** Takes slabs without entries in use. Events may still refer to their bytes. */
  readonly retire: (slab: Slab) => void;
  /** Called when a slab is added to the sparse ones. */
  readonly onSparse: () => void;
  /** Called when a slab of plain entries is full, and waits for compression. Default: slabs do not wait. */
  readonly onFull?: (() => void) | undefined;
}

/** Contents of a slab: whole entries, or heads and compressed blocks. */
type Form = 'plain' | 'compressed';

/** The slabs of one store. */
export class EntrySlabs {
  readonly #options: EntrySlabsOptions;
  readonly #slabs: (Slab | undefined)[] = [];
  readonly #freeNumbers: number[] = [];
  /** Numbers of the slabs that are being filled; -1 for none. */
  readonly #current: Record<Form, number> = { plain: -1, compressed: -1 };
  /** Full slabs whose entries have not all been offered for compression. The oldest one is first. */
  readonly #waiting = new Set<number>();
  /** Slabs with few entries left. */
  readonly #sparse = new Set<number>();
  #alive = 0;
  #compressed = 0;
  #opened = 0;
  #held = 0;
  #written = 0;

  constructor(options: EntrySlabsOptions) {
    this.#options = options;
  }

  /** Number of bytes of the entries in use. */
  get alive(): number {
    return this.#alive;
  }

  /** Number of these bytes that are compressed entries: their heads and blocks. */
  get compressed(): number {
    return this.#compressed;
  }

  /** Size that the compressed entries in use have when their blocks are opened. */
  get opened(): number {
    return this.#opened;
  }

  /** Number of bytes of all entries that were ever written. */
  get written(): number {
    return this.#written;
  }

  /** Number of bytes of the slabs. */
  get held(): number {
    return this.#held;
  }

  get(number: number): Slab {
    return this.#slabs[number] as Slab;
  }

  /** Reports whether a slab still has this number. */
  has(number: number, slab: Slab): boolean {
    return this.#slabs[number] === slab;
  }

  /** Returns the number of a slab to compact, or `undefined`. */
  takeSparse(): number | undefined {
    const [number] = this.#sparse;
    if (number !== undefined) this.#sparse.delete(number);
    return number;
  }

  /** Must be called if a slab of {@link takeSparse} could not be compacted. */
  putBackSparse(number: number): void {
    this.#sparse.add(number);
  }

  /** Iterates over the slabs with their numbers. */
  *entries(): Generator<readonly [number, Slab], void, undefined> {
    for (const [number, slab] of this.#slabs.entries()) if (slab) yield [number, slab];
  }

  /** Returns the number of a slab that has room for an entry at its position `used`. Call {@link keep} or {@link cancel}. */
  reserve(payload: number): number {
    return this.#reserve('plain', entrySize(payload));
  }

  /** Like {@link reserve}, for a compressed block with its heads. Call {@link keep} for each of them. */
  reserveBlock(size: number): number {
    return this.#reserve('compressed', size);
  }

  /** Cancels a reservation. */
  cancel(number: number): void {
    const slab = this.get(number);
    if (slab.used > 0) return;
    if (number === this.#current.plain) this.#current.plain = -1;
    this.#remove(number, slab);
  }

  /** Keeps the entry that was written at the end of a slab. Returns its position. */
  keep(number: number): number {
    const slab = this.get(number);
    const entry = slab.used;
    const size = entrySizeAt(slab, entry);
    slab.used += size;
    this.#written += size;
    this.#count(slab, entry, 1);
    return entry;
  }

  /** Releases an entry. Its bytes stay until the slab is reused. */
  release(number: number, entry: number): void {
    const slab = this.get(number);
    this.#count(slab, entry, -1);
    this.#review(number, slab);
  }

  /**
   * Iterates over the slabs whose entries wait for compression.
   *
   * @param rest also the slab that is being filled.
   */
  *toCompress({ rest }: { readonly rest: boolean }): Generator<readonly [number, Slab], void, undefined> {
    for (const number of this.#waiting) yield [number, this.get(number)];
    const current = this.#slabs[this.#current.plain];
    if (rest && current) yield [this.#current.plain, current];
  }

  /** Must be called after entries have been compressed. Releases the slabs whose entries have all been offered. */
  settle(): void {
    for (const [number, slab] of this.toCompress({ rest: true })) {
      if (slab.offered < slab.used) return;
      this.#waiting.delete(number);
      if (number === this.#current.plain && slab.alive === 0 && slab.used > 0) this.#current.plain = -1;
      this.#review(number, slab);
    }
  }

  /** Returns all slabs to the pool. */
  clear(): void {
    for (const [number, slab] of this.entries()) this.#remove(number, slab);
    this.#current.plain = -1;
    this.#current.compressed = -1;
    this.#alive = 0;
    this.#compressed = 0;
    this.#opened = 0;
  }

  #reserve(form: Form, size: number): number {
    if (size > LARGE) return this.#addLarge(form, size);
    const previous = this.#current[form];
    const current = this.#slabs[previous];
    if (current && current.used + size <= current.size) return previous;
    // The size of all entries together, so that sizes double while a store grows, and an idle store stays small.
    const entries = form === 'plain' ? this.#alive : this.#compressed;
    const wanted = Math.min(Math.max(entries, SMALLEST_SLAB), LARGEST_SLAB);
    const next = this.#add(this.#options.pool.take(Math.max(wanted, size)));
    this.#current[form] = next;
    if (current) this.#close(form, previous, current);
    return next;
  }

  #addLarge(form: Form, size: number): number {
    const slab = new Slab(size);
    const number = this.#add(slab);
    if (form === 'plain' && this.#options.onFull) this.#wait(number, this.#options.onFull);
    return number;
  }

  #close(form: Form, number: number, slab: Slab): void {
    if (form === 'plain' && this.#options.onFull && slab.offered < slab.used) this.#wait(number, this.#options.onFull);
    this.#review(number, slab);
  }

  #wait(number: number, onFull: () => void): void {
    this.#waiting.add(number);
    onFull();
  }

  #isFilled(number: number): boolean {
    return number === this.#current.plain || number === this.#current.compressed;
  }

  /** Adds an entry to the figures, or subtracts it. */
  #count(slab: Slab, entry: number, sign: 1 | -1): void {
    const header = entry >> 2;
    const flags = slab.ints[header + ENTRY.flags] as number;
    // Its heads count for a block.
    if (flags & ENTRY_FLAG.block) return;
    let size = entrySizeAt(slab, entry);
    if (flags & ENTRY_FLAG.head) {
      size += slab.ints[header + HEAD.share] as number;
      this.#compressed += sign * size;
      this.#opened += sign * (slab.ints[header + HEAD.size] as number);
    }
    slab.alive += sign * size;
    this.#alive += sign * size;
  }

  #isSparse(number: number, { alive, used, size }: Slab): boolean {
    // A slab that is being filled counts only if it is much too large for what is left.
    return this.#isFilled(number) ? used - alive > size / 2 && size > SMALLEST_SLAB : alive < used * SPARSE;
  }

  /** Removes the slab if it is empty, and marks it if it is sparse. */
  #review(number: number, slab: Slab): void {
    const isSparse = this.#isSparse(number, slab);
    if (isSparse && number === this.#current.plain) this.#current.plain = -1;
    if (isSparse && number === this.#current.compressed) this.#current.compressed = -1;
    if (slab.alive === 0 && !this.#isFilled(number)) {
      this.#remove(number, slab);
    } else if (isSparse && !this.#sparse.has(number) && !this.#waiting.has(number)) {
      this.#sparse.add(number);
      this.#options.onSparse();
    }
  }

  #add(slab: Slab): number {
    const number = this.#freeNumbers.pop() ?? this.#slabs.length;
    this.#slabs[number] = slab;
    this.#held += slab.size;
    return number;
  }

  #remove(number: number, slab: Slab): void {
    this.#slabs[number] = undefined;
    this.#sparse.delete(number);
    this.#waiting.delete(number);
    this.#freeNumbers.push(number);
    this.#held -= slab.size;
    this.#options.retire(slab);
  }
}
