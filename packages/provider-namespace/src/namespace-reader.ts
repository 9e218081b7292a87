import type {
  DeepReadonly,
  GetOptions,
  IndexLookup,
  Kind,
  KubernetesList,
  KubernetesObject,
  ListOptions,
  ObjectKey,
  Reader,
} from '@mcr/core';
import { innerIndexName } from './inner-objects.ts';
import { innerOf, type NamespaceView } from './namespace-view.ts';

/** Reads of a namespace cluster. */
export class NamespaceReader implements Reader {
  protected readonly view: NamespaceView;
  readonly #reader: Reader;

  constructor(reader: Reader, view: NamespaceView) {
    this.#reader = reader;
    this.view = view;
  }

  async get<T extends KubernetesObject>(kind: Kind<T>, key: ObjectKey, options?: GetOptions): Promise<DeepReadonly<T>> {
    const outer = await this.view.keyToRead(kind, key);
    if (!outer) throw this.view.notFound(kind, key);
    return innerOf(this.view, await this.#reader.get(kind, outer, options));
  }

  async find<T extends KubernetesObject>(
    kind: Kind<T>,
    key: ObjectKey,
    options?: GetOptions,
  ): Promise<DeepReadonly<T> | undefined> {
    const outer = await this.view.keyToRead(kind, key);
    const object = outer && (await this.#reader.find(kind, outer, options));
    return object && innerOf(this.view, object);
  }

  async list<T extends KubernetesObject>(
    kind: Kind<T>,
    options: ListOptions = {},
  ): Promise<DeepReadonly<KubernetesList<T>>> {
    const outer = await this.view.scopeToRead(kind, options);
    if (!outer)
      return { apiVersion: kind.apiVersion, kind: `${kind.kind}List`, metadata: { resourceVersion: '' }, items: [] };
    const list = await this.#reader.list(kind, withInnerIndexes(outer));
    return { ...list, items: list.items.map((object) => innerOf(this.view, object)) };
  }
}

function withInnerIndexes<Options extends ListOptions>(options: Options): Options {
  const { index } = options;
  if (index === undefined) return options;
  return { ...options, index: Array.isArray(index) ? index.map(withInnerName) : withInnerName(index as IndexLookup) };
}

/** Returns a value that is not a lookup unchanged: the cache refuses it. */
function withInnerName(lookup: IndexLookup): IndexLookup {
  const { name } = Object(lookup) as Partial<IndexLookup>;
  return typeof name === 'string' ? { ...lookup, name: innerIndexName(name) } : lookup;
}
