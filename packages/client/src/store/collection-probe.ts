/**
 * Finds out whether V8 has collected all garbage. A weak reference whose target is still there says little before that:
 * nobody may refer to the target.
 */
export class CollectionProbe {
  /** An object without references. */
  #canary = new WeakRef({});
  #createdAt = 0;
  #collectedAt = 0;

  /**
   * Returns a time before the latest known collection, in milliseconds: what was not referenced since has been
   * collected. 0 if there has been none.
   *
   * @param now `performance.now()`.
   */
  collectedAt(now: number): number {
    if (!this.#canary.deref()) {
      this.#collectedAt = this.#createdAt;
      this.#createdAt = now;
      this.#canary = new WeakRef({});
    }
    return this.#collectedAt;
  }
}
