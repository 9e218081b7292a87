export interface BackoffOptions {
  /** The first delay, in milliseconds. */
  readonly base: number;
  /** No delay is longer, in milliseconds. */
  readonly max: number;
  /** A number in [0, 1). Default: `Math.random`. */
  readonly random?: () => number;
}

/** Delays that double from `base` to `max`, each shortened by up to a half, so that many clusters do not retry in step. */
export class Backoff {
  readonly #base: number;
  readonly #max: number;
  readonly #random: () => number;
  #failures = 0;

  constructor({ base, max, random = Math.random }: BackoffOptions) {
    this.#base = base;
    this.#max = max;
    this.#random = random;
  }

  /** The number of delays that {@link next} has returned. */
  get failures(): number {
    return this.#failures;
  }

  /** The delay before the next try, in milliseconds. */
  next(): number {
    const full = Math.min(this.#base * 2 ** this.#failures, this.#max);
    this.#failures += 1;
    return full * (1 - this.#random() / 2);
  }
}
