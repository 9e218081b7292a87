import { ENTRY, entrySize } from './entry.ts';
import { LARGEST_SLAB, SMALLEST_SLAB, type SlabPool } from './slab-pool.ts';
import { Slab } from './slab.ts';

/** An entry of more bytes has a slab of its own, of its own size, so that little is wasted at the end of slabs. */
const LARGE = LARGEST_SLAB / 8;

/** The slabs of one store. */
export class EntrySlabs {
  readonly #pool: SlabPool;
  /** Called with slabs without entries in use. Events may still refer to their bytes. */
  readonly #retire: (slab: Slab) => void;
  readonly #slabs: (Slab | undefined)[] = [];
  readonly #freeNumbers: number[] = [];
  /** Number of the slab that is being filled; -1 for none. */
  #current = -1;
  #alive = 0;
  #held = 0;

  constructor(pool: SlabPool, retire: (slab: Slab) => void) {
    this.#pool = pool;
    this.#retire = retire;
  }

  /** Number of bytes of the entries in use. */
  get alive(): number {
    return this.#alive;
  }

  /** Number of bytes of the slabs. */
  get held(): number {
    return this.#held;
  }

  /** Number of the slab that is being filled; -1 for none. */
  get current(): number {
    return this.#current;
  }

  get(slab: number): Slab {
    return this.#slabs[slab] as Slab;
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
    // As large as all entries together, so that sizes double while a store grows, and an idle store stays small.
    const wanted = Math.min(Math.max(this.#alive, SMALLEST_SLAB), LARGEST_SLAB);
    this.#current = this.#add(this.#pool.take(Math.max(wanted, size)));
    if (current?.alive === 0) this.#remove(previous, current);
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
    if (slab.alive === 0 && number !== this.#current) this.#remove(number, slab);
  }

  /** Gives all slabs back. */
  clear(): void {
    for (const [number, slab] of this.entries()) this.#remove(number, slab);
    this.#current = -1;
    this.#alive = 0;
  }

  #add(slab: Slab): number {
    const number = this.#freeNumbers.pop() ?? this.#slabs.length;
    this.#slabs[number] = slab;
    this.#held += slab.size;
    return number;
  }

  #remove(number: number, slab: Slab): void {
    this.#slabs[number] = undefined;
    this.#freeNumbers.push(number);
    this.#held -= slab.size;
    this.#retire(slab);
  }
}

function sizeOf({ ints }: Slab, entry: number): number {
  return entrySize(ints[(entry >> 2) + ENTRY.length] as number);
}
