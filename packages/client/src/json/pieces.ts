/** How many short pieces become one: each may keep a whole buffer of the socket in memory. */
const MAX_LOOSE = 1024;

/** Bytes that arrived in pieces. Keeping them apart until they are taken makes long data cost no more than its length. */
export class Pieces {
  #pieces: Uint8Array[] = [];
  #size = 0;
  /** How many of the last pieces are as they came. */
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

  /** All pieces as one, which are forgotten. */
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
