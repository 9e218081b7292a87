import { isDeepStrictEqual } from 'node:util';
import type { ClusterDescription, ClusterInfo } from './cluster.ts';

/** What a cluster is known by, and those who chose the cluster by it. */
export class ObservableInfo {
  #value: ClusterInfo;
  readonly #listeners = new Set<() => void>();

  constructor(value: Partial<ClusterInfo> = {}) {
    this.#value = { labels: {}, properties: {}, ...value };
  }

  get value(): ClusterInfo {
    return this.#value;
  }

  /** Nobody chooses clusters by their version. */
  setVersion(version: string): void {
    this.#value = { ...this.#value, version };
  }

  /** Tells the listeners, when labels or properties change: nobody chooses clusters by the versions of their origin. */
  describe({ labels, properties, origin }: ClusterDescription): void {
    const { labels: oldLabels, properties: oldProperties } = this.#value;
    this.#value = { ...this.#value, labels, properties, ...(origin && { origin }) };
    if (isDeepStrictEqual([labels, properties], [oldLabels, oldProperties])) return;
    for (const listener of this.#listeners) listener();
  }

  /** @returns takes the listener away. */
  onDescribed(listener: () => void): () => void {
    // Wrapped, so that one function given twice is two listeners.
    const own = () => listener();
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }
}
