import { once } from 'node:events';
import type { Writable } from 'node:stream';

const CHUNK = 256 * 1024;

/** Copies small pieces into large chunks and writes these at the reader's pace. */
export class ChunkWriter {
  readonly #stream: Writable;
  #chunk = Buffer.allocUnsafeSlow(CHUNK);
  #used = 0;
  #written = 0;

  constructor(stream: Writable) {
    this.#stream = stream;
  }

  /** Number of bytes so far. */
  get bytes(): number {
    return this.#written + this.#used;
  }

  /** @returns a promise if the next piece has to wait for the reader. */
  write(...pieces: readonly (Buffer | string)[]): Promise<void> | undefined {
    let waits: Promise<void> | undefined;
    for (const piece of pieces) {
      const size = typeof piece === 'string' ? Buffer.byteLength(piece) : piece.length;
      if (this.#used + size > this.#chunk.length) {
        waits = this.flush();
        if (size > this.#chunk.length) this.#chunk = Buffer.allocUnsafeSlow(size);
      }
      if (typeof piece === 'string') this.#chunk.write(piece, this.#used);
      else piece.copy(this.#chunk, this.#used);
      this.#used += size;
    }
    return waits;
  }

  /** Writes what has been collected. */
  flush(): Promise<void> | undefined {
    if (this.#used === 0) return undefined;
    const drains = this.#stream.write(this.#chunk.subarray(0, this.#used));
    this.#written += this.#used;
    this.#chunk = Buffer.allocUnsafeSlow(CHUNK);
    this.#used = 0;
    if (drains) return undefined;
    const closed = new AbortController();
    const onClose = () => closed.abort();
    this.#stream.once('close', onClose);
    // A reader may close its stream early; this is not an error here.
    return once(this.#stream, 'drain', { signal: closed.signal })
      .then(
        () => undefined,
        () => undefined,
      )
      .finally(() => this.#stream.off('close', onClose));
  }
}
