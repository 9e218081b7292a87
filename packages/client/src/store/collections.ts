/** Counts the collections of old garbage, in which weak references lose their targets. */
class Collections {
  #count = 0;
  readonly #registry = new FinalizationRegistry<undefined>(() => {
    this.#count += 1;
    this.#watch();
  });

  constructor() {
    this.#watch();
  }

  get count(): number {
    return this.#count;
  }

  #watch(): void {
    this.#registry.register({}, undefined);
  }
}

/** The collections of the process. */
export const collections = new Collections();
