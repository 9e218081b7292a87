import type { FieldIndexer, IndexExtractor, Kind, KubernetesObject } from '@mcr/client';
import { checkIndex, kindText } from '@mcr/client';

/** Makes one index. */
type MakeIndex = (indexer: FieldIndexer) => Promise<void>;

interface Entry {
  readonly extract: IndexExtractor<KubernetesObject>;
  readonly make: MakeIndex;
  /** On all who were there; `undefined` when it failed on one of them. */
  made?: Promise<unknown>;
}

/**
 * The indexes that were asked for, to be made on whoever is there and whoever comes later. One that failed is made again
 * when it is asked for again; an index that is there already is harmless to all who make them.
 */
export class IndexRegistry implements Iterable<MakeIndex> {
  readonly #entries = new Map<string, Entry>();

  /**
   * Has an index made on all who are there, once.
   *
   * @param present asked when the index is to be made.
   * @throws why one of them could not make it; a TypeError if the index was added with another function.
   */
  async add<T extends KubernetesObject>(
    kind: Kind<T>,
    name: string,
    extract: IndexExtractor<T>,
    present: () => readonly FieldIndexer[],
  ): Promise<void> {
    const key = `${kindText(kind)} ${name}`;
    const registered = this.#entries.get(key);
    checkIndex(kind, name, registered?.extract, extract as IndexExtractor<KubernetesObject>);
    const entry: Entry = registered ?? {
      extract: extract as IndexExtractor<KubernetesObject>,
      make: (indexer) => indexer.indexField(kind, name, extract),
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

  /** Each index, those that are added meanwhile too, to be made on one who comes. */
  *[Symbol.iterator](): Generator<MakeIndex, void, undefined> {
    for (const { make } of this.#entries.values()) yield make;
  }
}
