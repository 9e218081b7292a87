import { ENVELOPE_SIZE, type PackedBatch } from './packed-batch.ts';

/** Sizes of pooled windows, in bytes: powers of two. The window of a larger object is dropped after its scan. */
const SMALLEST = 16 * 1024;
const LARGEST = 512 * 1024;
const SIZE_CLASSES = classOf(LARGEST) + 1;
/** Maximum size of the unused windows with their envelopes, in bytes. */
const MAX_POOLED = 4 * 1024 * 1024;
/** Number of objects whose envelopes fit at first. */
const OBJECTS = 16;

/** Unused windows of 16 KiB, 32 KiB, … */
const unused: readonly Window[][] = Array.from({ length: SIZE_CLASSES }, () => []);
let pooled = 0;

/**
 * The bytes of one scan, and the envelopes of the objects in them. A zero byte follows the last byte. It is not allowed
 * anywhere in JSON, so it ends every inner loop.
 *
 * Batches refer to the bytes of a window without copying them. When the scan and all of its batches have released the
 * window, the next scan overwrites it. A window that is never released is garbage collected.
 */
export class Window {
  /** The bytes, then the zero byte, then texts of irregular objects. */
  bytes: Buffer;
  /** Index of the zero byte that follows the last byte. */
  limit = 0;
  /** {@link ENVELOPE_SIZE} integers for each object, in the order of the scan. */
  envelopes = new Int32Array(OBJECTS * ENVELOPE_SIZE);
  /** Number of bytes in use. */
  #used = 0;
  /** Number of users that have not released the window. */
  #users = 0;

  constructor(size: number) {
    this.bytes = Buffer.allocUnsafeSlow(size);
  }

  /** Copies pieces into the window, one after the other. */
  load(pieces: readonly Uint8Array[]): void {
    this.#users = 1;
    this.limit = 0;
    for (const piece of pieces) {
      this.bytes.set(piece, this.limit);
      this.limit += piece.length;
    }
    this.bytes[this.limit] = 0;
    this.#used = this.limit + 1;
  }

  /** Ends the content at an earlier index. The bytes after it are lost. */
  cutAt(limit: number): void {
    this.limit = limit;
    this.bytes[limit] = 0;
    this.#used = limit + 1;
  }

  /** Adds a text behind the content. Returns its index. */
  append(text: Uint8Array): number {
    const start = this.#used;
    this.#used += text.length;
    if (this.#used > this.bytes.length) {
      const larger = Buffer.allocUnsafeSlow(2 * this.#used);
      this.bytes.copy(larger, 0, 0, start);
      this.bytes = larger;
    }
    this.bytes.set(text, start);
    return start;
  }

  /** Returns the place for the envelope of object `index`, as an index of {@link envelopes}. */
  reachEnvelope(index: number): number {
    const place = index * ENVELOPE_SIZE;
    if (place === this.envelopes.length) {
      const larger = new Int32Array(2 * place);
      larger.set(this.envelopes);
      this.envelopes = larger;
    }
    return place;
  }

  /** Returns a batch of the objects from number `start` to number `end`. */
  batch(start: number, end: number): PackedBatch {
    this.#users += 1;
    return new WindowBatch(this, start, end);
  }

  /** Size of the memory, in bytes. */
  get byteLength(): number {
    return this.bytes.length + this.envelopes.byteLength;
  }

  /** Ends one use of the window. The last one makes it available to other scans. */
  release(): void {
    this.#users -= 1;
    const size = this.bytes.length;
    if (this.#users > 0 || !isPooledSize(size) || pooled + this.byteLength > MAX_POOLED) return;
    pooled += this.byteLength;
    windowsOf(size).push(this);
  }
}

const NO_BYTES = Buffer.alloc(0);
const NO_ENVELOPES = new Int32Array(0);

/** Objects in a window. After its release it refers to nothing, because an idle watch keeps its latest batch. */
class WindowBatch implements PackedBatch {
  bytes: Buffer;
  envelopes: Int32Array;
  readonly length: number;
  #window: Window | undefined;

  constructor(window: Window, start: number, end: number) {
    this.bytes = window.bytes;
    this.envelopes = window.envelopes.subarray(start * ENVELOPE_SIZE, end * ENVELOPE_SIZE);
    this.length = end - start;
    this.#window = window;
  }

  release(): void {
    this.#window?.release();
    this.#window = undefined;
    this.bytes = NO_BYTES;
    this.envelopes = NO_ENVELOPES;
  }
}

/** Returns a window with the content of `pieces`. The caller must release it. */
export function loadWindow(pieces: readonly Uint8Array[]): Window {
  const needed = pieces.reduce((sum, { length }) => sum + length, 1);
  const size = needed > LARGEST ? needed : Math.max(SMALLEST, 2 ** Math.ceil(Math.log2(needed)));
  const known = isPooledSize(size) ? windowsOf(size).pop() : undefined;
  if (known) pooled -= known.byteLength;
  const window = known ?? new Window(size);
  window.load(pieces);
  return window;
}

function windowsOf(size: number): Window[] {
  return unused[classOf(size)] as Window[];
}

function isPooledSize(size: number): boolean {
  return size >= SMALLEST && size <= LARGEST && (size & (size - 1)) === 0;
}

function classOf(size: number): number {
  return 17 - Math.clz32(size);
}
