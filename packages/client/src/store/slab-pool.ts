import { Slab } from './slab.ts';

/** Sizes of pooled slabs, in bytes. */
export const SMALLEST_SLAB = 4 * 1024;
export const LARGEST_SLAB = 1024 * 1024;
/** Maximum size of the empty slabs of a pool, in bytes. */
const MAX_POOLED = 64 * 1024 * 1024;
/** Number of dropped bytes after which V8 is asked to collect them. */
const COLLECT_AFTER = 8 * 1024 * 1024;

/** Empty slabs, by size. One pool serves all stores of a process. */
export class SlabPool {
  /** Empty slabs of 4 KiB, 8 KiB, … */
  readonly #empty: Slab[][] = [];
  #pooled = 0;
  #dropped = 0;

  /** Size of the empty slabs, in bytes. */
  get pooled(): number {
    return this.#pooled;
  }

  /** Returns an empty slab of at least `size` bytes: a power of two up to 1 MiB, otherwise of this size. */
  take(size: number): Slab {
    if (size > LARGEST_SLAB) return new Slab((size + 3) & ~3);
    const whole = Math.max(SMALLEST_SLAB, 2 ** Math.ceil(Math.log2(size)));
    const slab = this.#empty[classOf(whole)]?.pop();
    if (!slab) return new Slab(whole);
    this.#pooled -= slab.size;
    return slab;
  }

  /** Takes a slab back. Nothing may refer to its bytes any more. */
  give(slab: Slab): void {
    if (slab.size > LARGEST_SLAB || this.#pooled + slab.size > MAX_POOLED) {
      this.drop(slab);
      return;
    }
    slab.used = 0;
    slab.alive = 0;
    (this.#empty[classOf(slab.size)] ??= []).push(slab);
    this.#pooled += slab.size;
  }

  /** Leaves a slab to the garbage collector. */
  drop({ size }: Slab): void {
    this.#dropped += size;
    if (this.#dropped < COLLECT_AFTER) return;
    requestCollection(this.#dropped);
    this.#dropped = 0;
  }
}

/**
 * V8 does not know the size of shared memory, so that it may keep unused slabs for hours. An ordinary buffer of the same
 * size counts. Its pages are never touched, so it needs no memory.
 */
function requestCollection(bytes: number): void {
  void new ArrayBuffer(bytes);
}

function classOf(size: number): number {
  return 31 - Math.clz32(size) - 12;
}

/** The pool of the process. */
export const slabPool = new SlabPool();
