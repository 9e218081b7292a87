/**
 * Finds out whether V8 has collected all garbage. Before that, a weak reference may still return a target that has no
 * other references.
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
