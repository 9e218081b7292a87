/** Counts the collections of old garbage, in which weak references lose their targets. */
class Collections {
  #count = 0;
  #collectedAt = 0;
  /** Holds the time at which an object without references was created. */
  readonly #registry = new FinalizationRegistry<number>((createdAt) => {
    this.#count += 1;
    this.#collectedAt = createdAt;
    this.#watch();
  });

  constructor() {
    this.#watch();
  }

  get count(): number {
    return this.#count;
  }

  /**
   * Time before the latest collection, by `performance.now()`: objects that have had no references since then have been
   * collected. 0 before the first collection.
   */
  get collectedAt(): number {
    return this.#collectedAt;
  }

  #watch(): void {
    this.#registry.register({}, performance.now());
  }
}

/** The collections of the process. */
export const collections = new Collections();
