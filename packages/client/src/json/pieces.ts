/** Maximum number of unmerged pieces. Each may keep a whole socket buffer in memory. */
const MAX_LOOSE = 1024;

/** A byte buffer that is filled piece by piece. Pieces are joined only when they are taken, so the cost is linear. */
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

  /** Returns all pieces in their order and clears them. */
  takeAll(): readonly Uint8Array[] {
    const all = this.#pieces;
    this.clear();
    return all;
  }

  /** Returns all pieces as one buffer and clears them. */
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
