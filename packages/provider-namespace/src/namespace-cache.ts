import type {
  Cache,
  DeepReadonly,
  IndexExtractor,
  Informer,
  InformerHandler,
  InformerScope,
  Kind,
  KubernetesObject,
  LazyObject,
  ObjectKey,
  ReadonlyStore,
  Registration,
  Subscription,
} from '@mcr/core';
import { checkInformerScope, untilAborted } from '@mcr/core/provider';
import { INNER_NAMESPACE, innerIndexName } from './inner-objects.ts';
import { NamespaceReader } from './namespace-reader.ts';
import { innerOf, type NamespaceView } from './namespace-view.ts';
import type { SharedCache, SharedScope } from './shared-cache.ts';

/** The cache of a namespace cluster: a view of the cache that all namespaces share. */
export class NamespaceCache extends NamespaceReader implements Cache {
  readonly #shared: SharedCache;

  constructor(shared: SharedCache, view: NamespaceView) {
    super(shared.cache, view);
    this.#shared = shared;
  }

  expectWrite<T extends KubernetesObject>(kind: Kind<T>, object: DeepReadonly<T>): void {
    const { metadata } = object as DeepReadonly<KubernetesObject>;
    if (metadata.namespace !== INNER_NAMESPACE) return;
    const outer = { ...object, metadata: { ...metadata, namespace: this.view.namespace } };
    this.#shared.cache.expectWrite(kind, outer);
  }

  expectDeletion(kind: Kind<KubernetesObject>, { namespace, name }: ObjectKey): void {
    if (namespace === INNER_NAMESPACE)
      this.#shared.cache.expectDeletion(kind, { namespace: this.view.namespace, name });
  }

  async informer<T extends KubernetesObject>(kind: Kind<T>, scope: InformerScope = {}): Promise<Informer<T>> {
    checkInformerScope('informer', kind, scope);
    const outer = await this.#outerScope(kind, scope);
    if (!outer) return nothing<T>();
    const { dispatcher } = await this.#shared.watch(kind, outer);
    const informer = await this.#shared.cache.informer(kind, outer);
    const { view } = this;
    return {
      store: new NamespaceStore(informer.store, view),
      addHandler: (handler) => dispatcher.add(view.namespace, handler),
      waitForSync: (signal) => informer.waitForSync(signal),
      staleFor: () => informer.staleFor(),
      get hasSynced() {
        return informer.hasSynced;
      },
      get lastSyncedResourceVersion() {
        return informer.lastSyncedResourceVersion;
      },
      get lastError() {
        return informer.lastError;
      },
      get refusal() {
        return informer.refusal;
      },
      onProgress: (listener) => informer.onProgress(listener),
    };
  }

  async subscribe<T extends KubernetesObject>(
    kind: Kind<T>,
    handler: InformerHandler<T>,
    scope: InformerScope = {},
  ): Promise<Subscription<T>> {
    checkInformerScope('subscription', kind, scope);
    const outer = await this.#outerScope(kind, scope);
    if (!outer) return { ...ALL_SYNCED, informer: nothing<T>() };
    const { dispatcher, informer, leave } = await this.#shared.watch(kind, outer);
    const registration = dispatcher.add(this.view.namespace, handler);
    const store = new NamespaceStore(informer.store, this.view);
    return {
      informer: {
        store,
        staleFor: () => informer.staleFor(),
        get lastError() {
          return informer.lastError;
        },
      },
      synced: registration.synced,
      get hasSynced() {
        return registration.hasSynced;
      },
      remove: () => {
        registration.remove();
        leave();
      },
    };
  }

  async indexField<T extends KubernetesObject>(kind: Kind<T>, name: string, extract: IndexExtractor<T>): Promise<void> {
    await this.#shared.indexField(kind, name, extract);
  }

  /** Has no effect, because all namespaces share the informers. */
  removeInformer(): void {}

  waitForSync(signal: AbortSignal): Promise<boolean> {
    return this.#shared.cache.waitForSync(signal);
  }

  /** Waits for the abort. The informers run with the host cluster. */
  run(signal: AbortSignal): Promise<void> {
    return untilAborted(signal);
  }

  /** Returns `undefined` if the scope has no objects inside. */
  async #outerScope(
    kind: Kind<KubernetesObject>,
    { namespaces, ...selectors }: InformerScope,
  ): Promise<SharedScope | undefined> {
    if (namespaces && !namespaces.includes(INNER_NAMESPACE)) return undefined;
    const outer = await this.view.scopeToRead(kind, selectors);
    if (!outer) return undefined;
    const { namespace: _, ...scope } = outer;
    return scope;
  }
}

/** The objects of one namespace in the shared store. */
class NamespaceStore<T extends KubernetesObject> implements ReadonlyStore<T> {
  readonly #store: ReadonlyStore<T>;
  readonly #view: NamespaceView;

  constructor(store: ReadonlyStore<T>, view: NamespaceView) {
    this.#store = store;
    this.#view = view;
  }

  get size(): number {
    return this.#store.count(this.#view.namespace);
  }

  count(namespace: string = INNER_NAMESPACE): number {
    return namespace === INNER_NAMESPACE ? this.size : 0;
  }

  *keys(namespace: string = INNER_NAMESPACE): Generator<ObjectKey, void, undefined> {
    if (namespace !== INNER_NAMESPACE) return;
    for (const { name } of this.#store.keys(this.#view.namespace)) yield { namespace, name };
  }

  get({ namespace, name }: ObjectKey): DeepReadonly<T> | undefined {
    if (namespace !== INNER_NAMESPACE) return undefined;
    const object = this.#store.get({ namespace: this.#view.namespace, name });
    return object && innerOf(this.#view, object);
  }

  lazy({ namespace, name }: ObjectKey): LazyObject<T> | undefined {
    if (namespace !== INNER_NAMESPACE) return undefined;
    const object = this.#store.lazy({ namespace: this.#view.namespace, name });
    return object && this.#view.innerLazy(object);
  }

  list(namespace: string = INNER_NAMESPACE): DeepReadonly<T>[] {
    if (namespace !== INNER_NAMESPACE) return [];
    return this.#store.list(this.#view.namespace).map((object) => innerOf(this.#view, object));
  }

  byIndex(name: string, value: string): DeepReadonly<T>[] {
    return this.#store
      .byIndex(innerIndexName(name), value)
      .filter(({ metadata }) => metadata.namespace === this.#view.namespace)
      .map((object) => innerOf(this.#view, object));
  }
}

const ALL_SYNCED: Registration = { synced: Promise.resolve(), hasSynced: true, remove: () => undefined };

/** An empty, synced informer, for scopes without objects inside. */
function nothing<T extends KubernetesObject>(): Informer<T> {
  return {
    addHandler: () => ALL_SYNCED,
    hasSynced: true,
    waitForSync: () => Promise.resolve(),
    store: {
      size: 0,
      count: () => 0,
      keys: () => [],
      get: () => undefined,
      lazy: () => undefined,
      list: () => [],
      byIndex: () => [],
    },
    lastSyncedResourceVersion: undefined,
    staleFor: () => 0,
    lastError: undefined,
    refusal: undefined,
    onProgress: () => () => undefined,
  };
}
