/** Number of short pieces that are merged: each may keep a whole buffer of the socket in memory. */
const MAX_LOOSE = 1024;

/**
 * Bytes that arrive in pieces. They are joined only when they are taken, so that the cost is linear in their length.
 */
export class Pieces {
  #pieces: Uint8Array[] = [];
  #size = 0;
  /** Number of trailing pieces that are not merged yet. */
  #loose = 0;

  get size(): number {
    return this.#size;
  }

  add(piece: Uint8Array): void {
    if (piece.length === 0) return;
    this.#size += piece.length;
    this.#pieces.push(piece);
    this.#loose += 1;
    if (this.#loose < MAX_LOOSE) return;
    this.#pieces.push(Buffer.concat(this.#pieces.splice(-MAX_LOOSE)));
    this.#loose = 0;
  }

  /** Returns all pieces as one, and clears them. */
  take(): Buffer {
    const all = Buffer.concat(this.#pieces);
    this.clear();
    return all;
  }

  clear(): void {
    this.#pieces = [];
    this.#size = 0;
    this.#loose = 0;
  }
}
