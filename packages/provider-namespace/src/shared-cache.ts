import type {
  Cache,
  FieldIndexer,
  IndexExtractor,
  Informer,
  InformerScope,
  Kind,
  KubernetesObject,
  Logger,
  Subscription,
} from '@mcr/core';
import { checkIndex, kindText } from '@mcr/core/provider';
import { INNER_NAMESPACE, innerIndexName, type HasNamespace, type InnerObjects } from './inner-objects.ts';
import { KindDispatcher } from './kind-dispatcher.ts';

/** Scope of an informer of all namespaces. The dispatcher separates the namespaces. */
export type SharedScope = Omit<InformerScope, 'namespaces'>;

/** One use of a shared watch. */
export interface SharedWatch<T extends KubernetesObject> {
  readonly dispatcher: KindDispatcher<T>;
  readonly informer: Pick<Informer<T>, 'store' | 'lastError' | 'staleFor'>;
  /** Ends this use. The last one stops the watch. */
  readonly leave: () => void;
}

interface Watched {
  readonly dispatcher: KindDispatcher<KubernetesObject>;
  readonly subscription: Promise<Subscription<KubernetesObject>>;
  users: number;
}

/** The cache of the host cluster. One informer and one index serve all namespaces. */
export class SharedCache implements FieldIndexer {
  readonly cache: Cache;
  readonly #innerObjects: InnerObjects;
  readonly #logger: Logger;
  /** Watches, by kind and scope. */
  readonly #watched = new Map<string, Watched>();
  /** Index functions of the cache, by those that callers pass. Reused, because the cache compares functions. */
  readonly #extractors = new WeakMap<object, object>();

  constructor(cache: Cache, innerObjects: InnerObjects, logger: Logger) {
    this.cache = cache;
    this.#innerObjects = innerObjects;
    this.#logger = logger;
  }

  /** Watches a kind in all namespaces, with an existing watch if there is one. */
  async watch<T extends KubernetesObject>(kind: Kind<T>, scope: SharedScope): Promise<SharedWatch<T>> {
    const { labelSelector = '', fieldSelector = '', shard } = scope;
    const key = JSON.stringify([kindText(kind), labelSelector, fieldSelector, shard?.id]);
    const watched = this.#watched.get(key) ?? this.#begin(key, kind, scope);
    watched.users += 1;
    let hasLeft = false;
    const leave = (): void => {
      if (hasLeft) return;
      hasLeft = true;
      watched.users -= 1;
      if (watched.users === 0) this.#end(key, watched);
    };
    try {
      const { informer } = await watched.subscription;
      // The key has the text of the kind, so the types match.
      return { dispatcher: watched.dispatcher, informer, leave } as unknown as SharedWatch<T>;
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** Adds one index for all namespaces. The values are those of the inner form of each object. */
  async indexField<T extends KubernetesObject>(kind: Kind<T>, name: string, extract: IndexExtractor<T>): Promise<void> {
    const checked = checkIndex(kind, name, undefined, extract);
    await this.cache.indexField(kind, innerIndexName(name), this.#innerExtractor(checked));
  }

  #innerExtractor<T extends KubernetesObject>(extract: Exclude<IndexExtractor<T>, string>): IndexExtractor<T> {
    // All other fields are the same inside.
    if (typeof extract !== 'function') return isNamespace(extract) ? innerNamespace : extract;
    const made = this.#extractors.get(extract) as IndexExtractor<T> | undefined;
    if (made) return made;
    const inner: IndexExtractor<T> = (object) => extract(this.#innerObjects.of(object));
    this.#extractors.set(extract, inner);
    return inner;
  }

  #begin(key: string, kind: Kind<KubernetesObject>, scope: SharedScope): Watched {
    const dispatcher = new KindDispatcher<KubernetesObject>(this.#innerObjects, this.#logger);
    const subscription = this.cache.subscribe(kind, dispatcher.handler, scope);
    const watched = { dispatcher, subscription, users: 0 };
    this.#watched.set(key, watched);
    subscription
      .then(({ synced, informer }) => synced.then(() => dispatcher.markSynced(informer.store)))
      .catch(() => undefined);
    return watched;
  }

  #end(key: string, watched: Watched): void {
    this.#watched.delete(key);
    // A subscription that failed needs no removal.
    watched.subscription.then((subscription) => subscription.remove()).catch(() => undefined);
  }
}

function isNamespace(names: readonly string[]): boolean {
  const [first, second, ...below] = names;
  return first === 'metadata' && second === 'namespace' && below.length === 0;
}

/** Returns the values of `metadata.namespace` inside. A constant, because the cache compares functions. */
const innerNamespace = ({ metadata }: HasNamespace) => (metadata.namespace ? [INNER_NAMESPACE] : []);
