const GOLDEN = 0x9e3779b9;

/** A sequence of numbers that depends on its seeds only. Good enough for samples. */
export class Random {
  #state: number;

  constructor(...seeds: readonly number[]) {
    this.#state = seeds.reduce((state, seed) => mix(state ^ mix(seed + GOLDEN)), GOLDEN);
  }

  /** Returns a whole number of 32 bits, without sign. */
  next(): number {
    this.#state = (this.#state + GOLDEN) | 0;
    return mix(this.#state) >>> 0;
  }

  /** Returns a number in [0, 1). */
  share(): number {
    return this.next() / 2 ** 32;
  }

  /** Returns a whole number in [0, limit). */
  below(limit: number): number {
    return Math.floor(this.share() * limit);
  }

  /** Returns a whole number in [from, to]. */
  between(from: number, to: number): number {
    return from + this.below(to - from + 1);
  }

  pick<T>(items: readonly [T, ...T[]]): T {
    return items[this.below(items.length)] ?? items[0];
  }

  chance(share: number): boolean {
    return this.share() < share;
  }

  /** Returns incompressible bytes. */
  bytes(count: number): Buffer {
    const words = new Int32Array(Math.ceil(count / 4));
    for (let position = 0; position < words.length; position++) words[position] = this.next();
    return Buffer.from(words.buffer, 0, count);
  }
}

/** Returns the numbers from 0 to `count` - 1 in random order. */
export function shuffled(count: number, ...seeds: readonly number[]): Uint32Array {
  const random = new Random(...seeds);
  const order = Uint32Array.from({ length: count }, (_, index) => index);
  for (let last = count - 1; last > 0; last--) {
    const other = random.below(last + 1);
    [order[last], order[other]] = [order[other] ?? 0, order[last] ?? 0];
  }
  return order;
}

/** Spreads a change of one bit over all bits. */
function mix(value: number): number {
  let mixed = value;
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d);
  mixed = Math.imul(mixed ^ (mixed >>> 12), 0x297a2d39);
  return mixed ^ (mixed >>> 15);
}
