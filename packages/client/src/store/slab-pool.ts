import { getHeapStatistics } from 'node:v8';
import { collections } from '../garbage/collections.ts';
import { Slab } from './slab.ts';

/** Sizes of pooled slabs, in bytes: powers of two. */
export const SMALLEST_SLAB = 1024;
export const LARGEST_SLAB = 1024 * 1024;
/** Number of these sizes. */
const SIZE_CLASSES = classOf(LARGEST_SLAB) + 1;
/** Maximum size of the empty slabs of a pool, in bytes. */
const MAX_POOLED = 64 * 1024 * 1024;
/**
 * Size of dropped or waiting slabs, in bytes, from which the pool makes V8 collect garbage. Smaller if the heap limit is
 * small.
 */
const COLLECT_AFTER = Math.min(64 * 1024 * 1024, getHeapStatistics().heap_size_limit / 32);
/** Size of a buffer whose allocation makes V8 collect garbage, in bytes. */
const PRESSURE = 96 * 1024 * 1024;
/** Time after which slabs that were not used are dropped, in milliseconds. */
const TRIM_EVERY = 5_000;

/** Knows whether events refer to the bytes of a slab. */
export interface SlabReferences {
  isReferenced(slab: Slab): boolean;
}

interface Waiting {
  readonly slab: Slab;
  readonly references: SlabReferences;
}

/** Empty slabs, by size. One pool serves all stores of a process. */
export class SlabPool {
  /** Empty slabs of 1 KiB, 2 KiB, … */
  readonly #empty: readonly Slab[][] = Array.from({ length: SIZE_CLASSES }, () => []);
  #pooled = 0;
  /** Empty slabs that events may refer to. The oldest one is first. */
  #waiting: Waiting[] = [];
  #waitingBytes = 0;
  /** Number of looks at the oldest waiting slabs since the latest look at all of them. */
  #looks = 0;
  /** Minimum number of empty slabs since the last trim, by size. */
  readonly #least = new Array<number>(SIZE_CLASSES).fill(0);
  /** Number of collections at the latest request for one that had bytes to free. */
  #requestedAt = -2;
  #trimTimer: NodeJS.Timeout | undefined;
  /** Bytes that became free since the last request for a collection, and that only a collection makes available. */
  #uncollected = 0;

  /** Size of the empty slabs, in bytes. */
  get pooled(): number {
    return this.#pooled;
  }

  /** Size of the empty slabs that events may refer to, in bytes. */
  get waiting(): number {
    return this.#waitingBytes;
  }

  /** Returns an empty slab of at least `size` bytes, which is at most {@link LARGEST_SLAB}. */
  take(size: number): Slab {
    const whole = Math.max(SMALLEST_SLAB, 2 ** Math.ceil(Math.log2(size)));
    const sizeClass = classOf(whole);
    const empty = this.#emptyOf(sizeClass);
    if (empty.length === 0) this.#collectWaiting();
    const slab = empty.pop();
    if (!slab) return new Slab(whole);
    this.#least[sizeClass] = Math.min(this.#least[sizeClass] as number, empty.length);
    this.#pooled -= slab.size;
    return slab;
  }

  /** Takes a slab back. It is used again when no event refers to it. */
  give(slab: Slab, references: SlabReferences): void {
    if (!isPooledSize(slab.size)) {
      // An event that refers to the slab keeps it.
      this.#wantCollection(slab.size);
    } else if (references.isReferenced(slab)) {
      this.#waiting.push({ slab, references });
      this.#waitingBytes += slab.size;
      this.#wantCollection(slab.size);
    } else {
      this.#add(slab);
    }
  }

  #add(slab: Slab): void {
    if (this.#pooled + slab.size > MAX_POOLED) {
      this.#wantCollection(slab.size);
      return;
    }
    slab.used = 0;
    slab.alive = 0;
    slab.offered = 0;
    slab.uses += 1;
    slab.lastLease = 0;
    this.#emptyOf(classOf(slab.size)).push(slab);
    this.#pooled += slab.size;
    this.#trimTimer ??= setInterval(() => this.#trim(), TRIM_EVERY).unref();
  }

  /** Drops the slabs that were not used since the last trim. */
  #trim(): void {
    this.#collectWaiting();
    let dropped = 0;
    for (const [sizeClass, empty] of this.#empty.entries()) {
      for (const slab of empty.splice(0, this.#least[sizeClass])) dropped += slab.size;
      this.#least[sizeClass] = empty.length;
    }
    this.#pooled -= dropped;
    this.#uncollected += dropped;
    // A collection that was going on has missed what was dropped meanwhile.
    if (this.#uncollected >= LARGEST_SLAB || collections.count < this.#requestedAt + 2) this.#requestCollection();
    else if (this.#pooled + this.#waitingBytes === 0) this.#stopTrimming();
  }

  #emptyOf(sizeClass: number): Slab[] {
    return this.#empty[sizeClass] as Slab[];
  }

  #stopTrimming(): void {
    clearInterval(this.#trimTimer);
    this.#trimTimer = undefined;
  }

  /**
   * Takes waiting slabs that are no longer referenced. Looks at the oldest ones, up to the first that is referenced. Looks
   * at all of them once in as many calls as there are slabs, so that one that is referenced for long holds back few others.
   */
  #collectWaiting(): void {
    const waiting = this.#waiting;
    this.#looks += 1;
    const looksAtAll = this.#looks >= waiting.length;
    if (looksAtAll) this.#looks = 0;
    const referenced: Waiting[] = [];
    let at = 0;
    for (; at < waiting.length && (looksAtAll || referenced.length === 0); at += 1) {
      const each = waiting[at] as Waiting;
      if (each.references.isReferenced(each.slab)) {
        referenced.push(each);
      } else {
        this.#waitingBytes -= each.slab.size;
        this.#add(each.slab);
      }
    }
    if (at > referenced.length) this.#waiting = [...referenced, ...waiting.slice(at)];
  }

  #wantCollection(bytes: number): void {
    this.#uncollected += bytes;
    this.#trimTimer ??= setInterval(() => this.#trim(), TRIM_EVERY).unref();
    // A collection of a large heap takes longer, so more slabs are worth one.
    if (this.#uncollected < COLLECT_AFTER) return;
    if (this.#uncollected >= getHeapStatistics().used_heap_size) this.#requestCollection();
  }

  /**
   * Gives V8 a reason to collect garbage. It does not count shared memory, so that it might keep unused slabs for hours,
   * but it counts an ordinary buffer. The pages of the buffer are never touched, so it takes no memory.
   */
  #requestCollection(): void {
    if (this.#uncollected > 0) this.#requestedAt = collections.count;
    void new ArrayBuffer(Math.max(this.#uncollected, PRESSURE));
    this.#uncollected = 0;
  }
}

function isPooledSize(size: number): boolean {
  return size >= SMALLEST_SLAB && size <= LARGEST_SLAB && (size & (size - 1)) === 0;
}

function classOf(size: number): number {
  return 21 - Math.clz32(size);
}

/** The pool of the process. */
export const slabPool = new SlabPool();
