import type {
  DeepReadonly,
  IndexExtractor,
  Kind,
  KubernetesList,
  KubernetesObject,
  ListOptions,
  Reader,
} from '@mcr/client';
import { checkIndex, indexFunction, kindText } from '@mcr/client';
import { indexLookups, unknownIndex } from '@mcr/client/testing';

/** Adds the indexes of a cache to the lists of a client that reads from an API server. */
export class ListIndexes {
  /** Indexes by kind and name. */
  readonly #indexes = new Map<string, Map<string, IndexExtractor<KubernetesObject>>>();

  add<T extends KubernetesObject>(kind: Kind<T>, name: string, extract: IndexExtractor<T>): void {
    const indexes = this.#indexes.get(kindText(kind)) ?? new Map<string, IndexExtractor<KubernetesObject>>();
    const index = checkIndex(kind, name, indexes.get(name), extract as IndexExtractor<KubernetesObject>);
    this.#indexes.set(kindText(kind), indexes.set(name, index));
  }

  async list<T extends KubernetesObject>(
    reader: Reader,
    kind: Kind<T>,
    { index, ...options }: ListOptions,
  ): Promise<DeepReadonly<KubernetesList<T>>> {
    if (index === undefined) return reader.list(kind, options);
    const matchers = indexLookups(index).map(({ name, value }) => {
      const valuesOf = this.#valuesOf(kind, name);
      return (object: DeepReadonly<KubernetesObject>) => valuesOf(object).includes(value);
    });
    const { limit = 0, continue: token, ...all } = options;
    if (token !== undefined) {
      throw new TypeError(
        `list of ${kindText(kind)}: option "continue": a list by index has one page: remove the option`,
      );
    }
    const list = await reader.list(kind, all);
    const found = (list.items as readonly DeepReadonly<KubernetesObject>[]).filter((object) =>
      matchers.every((matches) => matches(object)),
    );
    const items = (limit > 0 ? found.slice(0, limit) : found) as unknown as typeof list.items;
    const remainingItemCount = found.length - items.length;
    return { ...list, metadata: { ...list.metadata, ...(remainingItemCount > 0 && { remainingItemCount }) }, items };
  }

  #valuesOf(kind: Kind<KubernetesObject>, name: string): ReturnType<typeof indexFunction<KubernetesObject>> {
    const indexes = this.#indexes.get(kindText(kind));
    const extract = indexes?.get(name);
    if (!extract) throw unknownIndex(name, [...(indexes?.keys() ?? [])]);
    return indexFunction(extract);
  }
}
