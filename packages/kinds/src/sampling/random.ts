/** A sequence of random numbers that a seed determines (mulberry32). */
export class Random {
  #state: number;

  /** @param seed integer. The same seed returns the same numbers. */
  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** Returns a number from 0 up to but not including 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** Returns an integer between two others, both included. */
  integer(from: number, to: number): number {
    return Math.floor(from + this.next() * (to - from + 1));
  }

  /** Reports true with a probability. */
  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** @throws {TypeError} if there is nothing to choose from. */
  pick<Item>(items: readonly Item[]): Item {
    if (items.length === 0) throw new TypeError('expected items to pick from, found none');
    return items[this.integer(0, items.length - 1)] as Item;
  }
}
