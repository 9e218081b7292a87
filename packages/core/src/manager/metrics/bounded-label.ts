/** The value that replaces all others beyond the limit. */
const ANY = '*';

/**
 * A label whose values are names of clusters or servers. Each value adds a time series to every metric with the label,
 * so their number is limited. Once it is exceeded, the label is `*` for all further samples. Existing series are kept,
 * so that sums over the label never decrease.
 */
export class BoundedLabel {
  readonly #limit: number;
  readonly #values = new Set<string>();
  #isOff = false;

  /** @param limit maximum number of values. */
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
