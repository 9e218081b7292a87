import { getHeapStatistics } from 'node:v8';
import { workInSpareTime } from '../clock/event-loop-turn.ts';
import { collections } from '../garbage/collections.ts';
import { backgroundFailure } from '../log/background-failure.ts';
import { IntRows } from './int-rows.ts';

/** A store whose records refer to slots of a {@link DecodeCache}. */
export interface DecodedOwner {
  /** Notes the slot of a record's object; 0 if it has none any more. */
  setDecoded(record: number, slot: number): void;
  /** Counts the objects of the owner that the cache keeps. */
  keptChanged(by: 1 | -1): void;
}

export interface DecodeCacheOptions {
  /** Maximum estimated heap of the objects that the cache keeps, in bytes. Default: {@link defaultBudget}. */
  readonly budget?: number;
}

/** Whether an object may evict others from the cache. */
export type Admission = 'always' | 'if there is room';

/** Part of V8's heap limit that is for the young generation, in bytes: its default (V8 13.6). */
const YOUNG_GENERATION = 192 * 1024 * 1024;
/** Time between two sweeps, in milliseconds. */
const SWEEP_EVERY = 1_000;

const SLOT = {
  record: 0,
  /** Estimated heap in bytes. */
  size: 1,
  /** One of {@link STATE}. */
  state: 2,
} as const;

const STATE = {
  /** Remembered by a WeakRef. */
  weak: 0,
  /** Kept. The next round of the clock drops it. */
  kept: 1,
  /** Kept, and read since the clock passed it. */
  recent: 2,
} as const;

/** Returns an eighth of the limit of the old generation. Estimates are at least half, so it never takes a quarter. */
function defaultBudget(): number {
  const limit = getHeapStatistics().heap_size_limit;
  // A program may have set a smaller young generation.
  return Math.max(limit - YOUNG_GENERATION, limit / 4) / 8;
}

/**
 * Keeps objects that were decoded recently, within a budget. An object that leaves the budget is remembered by a
 * WeakRef: two reads return the same object while it is referenced.
 *
 * Slots are dense and start at 1: when one is freed, the last one takes its place.
 */
export class DecodeCache {
  readonly #budget: number;
  /** Objects, or WeakRefs of objects. Slot 0 is not used. */
  readonly #values: (object | undefined)[] = [undefined];
  readonly #owners: (DecodedOwner | undefined)[] = [undefined];
  readonly #rows = new IntRows(3);
  /** Estimated heap of the kept objects. */
  #used = 0;
  #kept = 0;
  /** Slot that the clock of evictions looks at next. */
  #hand = 1;
  #sweepTimer: NodeJS.Timeout | undefined;
  #sweptAt = 0;

  constructor({ budget = defaultBudget() }: DecodeCacheOptions = {}) {
    this.#budget = budget;
  }

  /** Estimated heap of the kept objects, in bytes. */
  get used(): number {
    return this.#used;
  }

  /** Number of kept objects. */
  get kept(): number {
    return this.#kept;
  }

  /** Number of objects that are remembered, but not kept. */
  get remembered(): number {
    return this.#values.length - 1 - this.#kept;
  }

  /** Returns the object of a slot. If it has been collected, frees the slot and returns `undefined`. */
  get(slot: number, admission: Admission = 'always'): object | undefined {
    const value = this.#values[slot];
    if (this.#rows.get(slot, SLOT.state) !== STATE.weak) {
      this.#rows.set(slot, SLOT.state, STATE.recent);
      return value;
    }
    const object = (value as WeakRef<object>).deref();
    if (!object) {
      this.#free(slot);
      return undefined;
    }
    this.#keep(slot, object, admission);
    return object;
  }

  /**
   * Adds the object of a record that has no slot, and notifies the owner of the slot.
   *
   * @param size estimated heap of the object in bytes.
   */
  add(owner: DecodedOwner, record: number, object: object, size: number, admission: Admission = 'always'): void {
    const slot = this.#values.length;
    this.#rows.reach(slot);
    this.#rows.set(slot, SLOT.record, record);
    this.#rows.set(slot, SLOT.size, size);
    this.#rows.set(slot, SLOT.state, STATE.weak);
    this.#values.push(undefined);
    this.#owners.push(owner);
    owner.setDecoded(record, slot);
    if (!this.#keep(slot, object, admission)) this.#remember(slot, object);
  }

  /** Frees a slot, and notifies the owner. Returns the object of the slot if it still exists. */
  release(slot: number): object | undefined {
    const value = this.#values[slot];
    const object = this.#rows.get(slot, SLOT.state) === STATE.weak ? (value as WeakRef<object>).deref() : value;
    this.#free(slot);
    return object;
  }

  /** Frees the slots of objects that have been collected, in spare time. */
  sweep(): Promise<void> {
    return workInSpareTime(this.#slotsBackwards(), (slot) => {
      if (slot >= this.#values.length || this.#rows.get(slot, SLOT.state) !== STATE.weak) return true;
      if (!(this.#values[slot] as WeakRef<object>).deref()) this.#free(slot);
      return true;
    });
  }

  /** Backwards, because the last slot takes the place of a slot that is freed. */
  *#slotsBackwards(): Generator<number, void, undefined> {
    for (let slot = this.#values.length - 1; slot > 0; slot -= 1) yield slot;
  }

  /** Keeps the object of a weak slot, if its admission allows it. */
  #keep(slot: number, object: object, admission: Admission): boolean {
    const size = this.#rows.get(slot, SLOT.size);
    if (size > this.#budget || (admission !== 'always' && this.#used + size > this.#budget)) return false;
    this.#values[slot] = object;
    // Objects that are read once leave before those that are read again.
    this.#rows.set(slot, SLOT.state, STATE.kept);
    this.#used += size;
    this.#countKept(slot, 1);
    while (this.#used > this.#budget) this.#advance(slot);
    return true;
  }

  /** Moves the hand of the clock by one slot, which loses its object unless it was read since the last round. */
  #advance(except: number): void {
    const slot = this.#hand < this.#values.length ? this.#hand : 1;
    this.#hand = slot + 1;
    const state = this.#rows.get(slot, SLOT.state);
    if (state === STATE.weak || slot === except) return;
    if (state === STATE.recent) this.#rows.set(slot, SLOT.state, STATE.kept);
    else this.#drop(slot);
  }

  #drop(slot: number): void {
    this.#used -= this.#rows.get(slot, SLOT.size);
    this.#countKept(slot, -1);
    this.#remember(slot, this.#values[slot] as object);
  }

  #countKept(slot: number, by: 1 | -1): void {
    this.#kept += by;
    (this.#owners[slot] as DecodedOwner).keptChanged(by);
  }

  #remember(slot: number, object: object): void {
    this.#values[slot] = new WeakRef(object);
    this.#rows.set(slot, SLOT.state, STATE.weak);
    this.#sweepTimer ??= setInterval(() => this.#sweepIfCollected(), SWEEP_EVERY).unref();
  }

  #sweepIfCollected(): void {
    if (this.remembered === 0) {
      clearInterval(this.#sweepTimer);
      this.#sweepTimer = undefined;
      return;
    }
    const { collectedAt } = collections;
    if (collectedAt <= this.#sweptAt) return;
    this.#sweptAt = collectedAt;
    this.sweep().catch((error: unknown) => backgroundFailure('releasing decoded objects', error));
  }

  #free(slot: number): void {
    const rows = this.#rows;
    if (rows.get(slot, SLOT.state) !== STATE.weak) {
      this.#used -= rows.get(slot, SLOT.size);
      this.#countKept(slot, -1);
    }
    (this.#owners[slot] as DecodedOwner).setDecoded(rows.get(slot, SLOT.record), 0);
    const last = this.#values.length - 1;
    const value = this.#values.pop();
    const owner = this.#owners.pop() as DecodedOwner;
    if (slot < last) {
      this.#values[slot] = value;
      this.#owners[slot] = owner;
      rows.set(slot, SLOT.record, rows.get(last, SLOT.record));
      rows.set(slot, SLOT.size, rows.get(last, SLOT.size));
      rows.set(slot, SLOT.state, rows.get(last, SLOT.state));
      owner.setDecoded(rows.get(last, SLOT.record), slot);
    }
    // Some rows stay, so that a cache that grows and shrinks a little does not allocate each time.
    rows.cutAfter(2 * last);
  }
}

/** The cache of the process. */
export const decodeCache = new DecodeCache();
