/** Pseudorandom choices that depend only on the seed (Mulberry32). */
export class Random {
  #state: number;

  /** @param seed a 32-bit integer. */
  constructor(seed: number) {
    this.#state = seed;
  }

  /** Returns an integer in [0, limit). */
  below(limit: number): number {
    return Math.floor(this.#next() * limit);
  }

  /** Returns one of the choices, or `undefined` if there are none. */
  pick<T>(choices: readonly T[]): T | undefined {
    return choices[this.below(choices.length)];
  }

  /** Returns a number in [0, 1). */
  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
}
