import { isDeepStrictEqual } from 'node:util';
import type { ClusterDescription, ClusterInfo } from './cluster.ts';

/** A cluster's info with listeners for changes of its labels and properties. */
export class ObservableInfo {
  #value: ClusterInfo;
  readonly #listeners = new Set<() => void>();

  constructor(value: Partial<ClusterInfo> = {}) {
    this.#value = { labels: {}, properties: {}, ...value };
  }

  get value(): ClusterInfo {
    return this.#value;
  }

  /** Does not notify listeners, because clusters are not selected by version. */
  setVersion(version: string): void {
    this.#value = { ...this.#value, version };
  }

  /** Replaces the description. Notifies listeners if labels or properties changed, but not if only `origin` did. */
  describe({ labels, properties, origin }: ClusterDescription): void {
    const { labels: oldLabels, properties: oldProperties } = this.#value;
    this.#value = { ...this.#value, labels, properties, ...(origin && { origin }) };
    if (isDeepStrictEqual([labels, properties], [oldLabels, oldProperties])) return;
    for (const listener of this.#listeners) listener();
  }

  /** @returns a function that removes the listener. */
  onDescribed(listener: () => void): () => void {
    // Wrapped, so that the same function added twice is called twice.
    const own = () => listener();
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }
}
