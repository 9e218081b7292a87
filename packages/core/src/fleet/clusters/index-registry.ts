import type { FieldIndexer, IndexExtractor, Kind, KubernetesObject } from '@mcr/client';
import { checkIndex, kindText } from '@mcr/client';

/** Adds one index to a cluster. */
export type MakeIndex = (indexer: FieldIndexer) => Promise<void>;

interface Entry {
  readonly extract: IndexExtractor<KubernetesObject>;
  readonly make: MakeIndex;
  /** Settles when all current clusters have the index. `undefined` after a failure. */
  made?: Promise<unknown>;
}

/**
 * The registered indexes, which every current and future cluster gets. Adding an index again after a failure retries
 * it; clusters that have the index already are not affected.
 */
export class IndexRegistry implements Iterable<MakeIndex> {
  readonly #entries = new Map<string, Entry>();

  /**
   * Registers an index and adds it to all current clusters.
   *
   * @param present returns the indexers of the current clusters.
   * @throws the failure of a cluster, or a TypeError if the index was registered with another function or path.
   */
  async add<T extends KubernetesObject>(
    kind: Kind<T>,
    name: string,
    extract: IndexExtractor<T>,
    present: () => readonly FieldIndexer[],
  ): Promise<void> {
    const key = `${kindText(kind)} ${name}`;
    const registered = this.#entries.get(key);
    const index = checkIndex(kind, name, registered?.extract, extract as IndexExtractor<KubernetesObject>);
    const entry: Entry = registered ?? {
      extract: index,
      make: (indexer) => indexer.indexField(kind, name, index),
    };
    this.#entries.set(key, entry);
    const made = (entry.made ??= Promise.all(present().map(entry.make)));
    try {
      await made;
    } catch (error) {
      if (entry.made === made) delete entry.made;
      throw error;
    }
  }

  /** Iterates over the indexes for a new cluster, including those that are registered during the iteration. */
  *[Symbol.iterator](): Generator<MakeIndex, void, undefined> {
    for (const { make } of this.#entries.values()) yield make;
  }
}
