import { Random } from '../../packages/envtest/src/fault-proxy/random.ts';

/** Choices that depend only on a seed. */
export class Choices {
  readonly #random: Random;

  /** @param seed a 32-bit integer. */
  constructor(seed: number) {
    this.#random = new Random(seed);
  }

  /** Returns an integer in [0, limit). */
  below(limit: number): number {
    return this.#random.below(limit);
  }

  /** Returns one element of a list that is not empty. */
  one<T>(from: readonly [T, ...T[]] | readonly T[]): T {
    return from[this.#random.below(from.length)] as T;
  }

  /** Reports `true` with a probability. */
  chance(probability: number): boolean {
    return this.#random.next() < probability;
  }

  /** Returns each element with the same probability. */
  some<T>(from: readonly T[], probability = 0.5): T[] {
    return from.filter(() => this.chance(probability));
  }

  /** Returns one of the values, the more often the larger its weight is. */
  weighted<T>(from: readonly (readonly [weight: number, value: T])[]): T {
    const total = from.reduce((sum, [weight]) => sum + weight, 0);
    let left = this.#random.next() * total;
    for (const [weight, value] of from) {
      left -= weight;
      if (left < 0) return value;
    }
    return (from.at(-1) as readonly [number, T])[1];
  }
}
