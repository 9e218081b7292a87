/** Stands for every value once there are too many to tell apart. */
const ANY = '*';

/**
 * The values of a label that names clusters or servers. Each value is a time series of its own for every metric that
 * carries it, so there is a limit: the value that exceeds it turns the label off, and from then on it is `*` for all.
 * Series that are there stay as they are; sums over the label keep growing as counters have to.
 */
export class BoundedLabel {
  readonly #limit: number;
  readonly #values = new Set<string>();
  #isOff = false;

  /** @param limit how many values are told apart. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  of(value: string): string {
    if (this.#isOff) return ANY;
    if (this.#values.has(value)) return value;
    this.#isOff = this.#values.size >= this.#limit;
    if (this.#isOff) return ANY;
    this.#values.add(value);
    return value;
  }
}
