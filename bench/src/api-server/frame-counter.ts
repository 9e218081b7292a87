/** Counts the events of a watch, without reading them. */
export class FrameCounter {
  readonly #separation: 'line' | 'length';
  /** Bytes of the present frame that have not arrived. */
  #missing = 0;
  /** The bytes of a length so far. */
  readonly #head: number[] = [];
  #frames = 0;

  /** @param separation lines of JSON, or messages after their length in four bytes. */
  constructor(separation: 'line' | 'length') {
    this.#separation = separation;
  }

  /** Number of complete events. */
  get frames(): number {
    return this.#frames;
  }

  add(chunk: Buffer): void {
    if (this.#separation === 'line') {
      for (let at = chunk.indexOf(0x0a); at >= 0; at = chunk.indexOf(0x0a, at + 1)) this.#frames += 1;
      return;
    }
    for (let at = 0; at < chunk.length;) {
      if (this.#missing === 0) {
        this.#head.push(chunk[at++] ?? 0);
        if (this.#head.length < 4) continue;
        this.#missing = Buffer.from(this.#head.splice(0)).readUInt32BE();
        continue;
      }
      const taken = Math.min(this.#missing, chunk.length - at);
      this.#missing -= taken;
      at += taken;
      if (this.#missing === 0) this.#frames += 1;
    }
  }
}
