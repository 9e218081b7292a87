import { ENTRY, entrySize } from './entry.ts';
import { LARGEST_SLAB, SMALLEST_SLAB, type SlabPool } from './slab-pool.ts';
import { Slab } from './slab.ts';

/** An entry of more bytes has a slab of its own, of its own size, so that little is wasted at the end of slabs. */
const LARGE = LARGEST_SLAB / 8;

/** Share of a slab's bytes below which compaction moves the entries that are left. */
const SPARSE = 0.7;

export interface EntrySlabsOptions {
  readonly pool: SlabPool;
  /** Takes slabs without entries in use. Events may still refer to their bytes. */
  readonly retire: (slab: Slab) => void;
  /** Called when a slab is added to the sparse ones. */
  readonly onSparse: () => void;
}

/** The slabs of one store. */
export class EntrySlabs {
  readonly #options: EntrySlabsOptions;
  readonly #slabs: (Slab | undefined)[] = [];
  readonly #freeNumbers: number[] = [];
  /** Number of the slab that is being filled; -1 for none. */
  #current = -1;
  /** Slabs with few entries left. */
  readonly #sparse = new Set<number>();
  #alive = 0;
  #held = 0;

  constructor(options: EntrySlabsOptions) {
    this.#options = options;
  }

  /** Number of bytes of the entries in use. */
  get alive(): number {
    return this.#alive;
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

  /** Iterates over the slabs with their numbers. */
  *entries(): Generator<readonly [number, Slab], void, undefined> {
    for (const [number, slab] of this.#slabs.entries()) if (slab) yield [number, slab];
  }

  /** Returns the number of a slab that has room for an entry at its position `used`. Call {@link keep} or {@link cancel}. */
  reserve(payload: number): number {
    const size = entrySize(payload);
    if (size > LARGE) return this.#add(new Slab(size));
    const previous = this.#current;
    const current = this.#slabs[previous];
    if (current && current.used + size <= current.size) return previous;
    // The size of all entries together, so that sizes double while a store grows, and an idle store stays small.
    const wanted = Math.min(Math.max(this.#alive, SMALLEST_SLAB), LARGEST_SLAB);
    this.#current = this.#add(this.#options.pool.take(Math.max(wanted, size)));
    if (current) this.#review(previous, current);
    return this.#current;
  }

  /** Takes a reservation back. */
  cancel(number: number): void {
    const slab = this.get(number);
    if (slab.alive === 0 && number !== this.#current) this.#remove(number, slab);
  }

  /** Keeps the entry that was written at the end of a slab. Returns its position. */
  keep(number: number): number {
    const slab = this.get(number);
    const entry = slab.used;
    const size = sizeOf(slab, entry);
    slab.used += size;
    slab.alive += size;
    this.#alive += size;
    return entry;
  }

  /** Releases an entry. Its bytes stay until the slab is reused. */
  release(number: number, entry: number): void {
    const slab = this.get(number);
    const size = sizeOf(slab, entry);
    slab.alive -= size;
    this.#alive -= size;
    this.#review(number, slab);
  }

  /** Gives all slabs back. */
  clear(): void {
    for (const [number, slab] of this.entries()) this.#remove(number, slab);
    this.#current = -1;
    this.#alive = 0;
  }

  #isSparse(number: number, { alive, used, size }: Slab): boolean {
    // The slab that is being filled counts only if it is much too large for what is left.
    return number === this.#current ? used - alive > size / 2 && size > SMALLEST_SLAB : alive < used * SPARSE;
  }

  /** Removes the slab if it is empty, and marks it if it is sparse. */
  #review(number: number, slab: Slab): void {
    const isSparse = this.#isSparse(number, slab);
    if (isSparse && number === this.#current) this.#current = -1;
    if (slab.alive === 0 && number !== this.#current) {
      this.#remove(number, slab);
    } else if (isSparse && !this.#sparse.has(number)) {
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
    this.#freeNumbers.push(number);
    this.#held -= slab.size;
    this.#options.retire(slab);
  }
}

function sizeOf({ ints }: Slab, entry: number): number {
  return entrySize(ints[(entry >> 2) + ENTRY.length] as number);
}
