/** Growth of delays from one failure to the next. */
export interface BackoffPolicy {
  /** Delay after the first failure, in milliseconds. */
  readonly base: number;
  /** Growth from one delay to the next. Default: 2. */
  readonly factor?: number;
  /** Maximum delay before jitter, in milliseconds. */
  readonly max: number;
  /**
   * Random part of each delay, as a share of it: 0.5 lengthens delays by up to a half, -0.5 shortens them by up to a
   * half, 0 turns jitter off. Default: -0.5, so that many clusters do not retry in step.
   */
  readonly jitter?: number;
}

/** Options of {@link Backoff}. */
export interface BackoffOptions extends BackoffPolicy {
  /** Numbers in [0, 1), for jitter. Default: `Math.random`. */
  readonly random?: () => number;
}

/**
 * Returns the delay after a number of consecutive failures, in milliseconds: 0 without a failure, `base` after the first
 * one. (Upstream: `apimachinery/pkg/util/wait.Backoff`.)
 */
export function backoffDelay(
  { base, factor = 2, max, jitter = -0.5, random = Math.random }: BackoffOptions,
  failures: number,
): number {
  return failures <= 0 ? 0 : Math.min(base * factor ** (failures - 1), max) * jitterFactor(jitter, random);
}

/** Returns the factor by which `jitter` changes a delay. See {@link BackoffPolicy.jitter}. */
export function jitterFactor(jitter: number, random: () => number): number {
  return 1 + jitter * random();
}

/** Counts failures, and returns the delay after each one. See {@link backoffDelay}. */
export class Backoff {
  readonly #options: BackoffOptions;
  #failures = 0;

  constructor(options: BackoffOptions) {
    this.#options = options;
  }

  /** Number of delays since the start or the last {@link reset}. */
  get failures(): number {
    return this.#failures;
  }

  /** Counts a failure, and returns the delay before the next attempt, in milliseconds. */
  next(): number {
    this.#failures += 1;
    return backoffDelay(this.#options, this.#failures);
  }

  /** Starts again with `base`, after a success. */
  reset(): void {
    this.#failures = 0;
  }
}
