import type { DeepReadonly, KubernetesObject, ObjectKey } from '../kinds/object.ts';
import type { CacheInformer, CacheStore, ReadRequirement } from './cache-informer.ts';
import type { IndexExtractor } from './cache.ts';
import type { InformerHandler, LazyObject, Registration } from './informer.ts';
import type { PackedEvent } from '../store/packed-event.ts';
import { checkNamespace } from '../store/check-namespace.ts';
import type { Selected, StoreQuery } from '../store/selection.ts';
import { sumOfStats, type PackedStoreStats } from '../store/store-stats.ts';
import type { SharedInformer } from './shared-informer.ts';

/**
 * An informer for several namespaces, with a list and a watch for each. (Upstream: controller-runtime's
 * `multiNamespaceInformer`.)
 */
export class MultiNamespaceInformer<T extends KubernetesObject> implements CacheInformer<T> {
  readonly #byNamespace: ReadonlyMap<string, SharedInformer<T>>;
  readonly #informers: readonly SharedInformer<T>[];
  readonly store: CacheStore<T>;

  /** @param informers informers by namespace. */
  constructor(informers: ReadonlyMap<string, SharedInformer<T>>) {
    this.#byNamespace = informers;
    this.#informers = [...informers.values()];
    this.store = new MultiNamespaceStore(new Map([...informers].map(([namespace, { store }]) => [namespace, store])));
  }

  get hasSynced(): boolean {
    return this.#informers.every((informer) => informer.hasSynced);
  }

  /** Always `undefined`, because each namespace has its own version. */
  get lastSyncedResourceVersion(): undefined {
    return undefined;
  }

  get lastError(): Error | undefined {
    return this.#informers.find((informer) => informer.lastError)?.lastError;
  }

  get refusal(): Error | undefined {
    return this.#informers.find((informer) => informer.refusal)?.refusal;
  }

  staleFor(): number {
    return Math.max(...this.#informers.map((informer) => informer.staleFor()));
  }

  async waitForSync(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#informers.map((informer) => informer.waitForSync(signal)));
  }

  addIndex(name: string, extract: IndexExtractor<T>): void {
    for (const informer of this.#informers) informer.addIndex(name, extract);
  }

  get indexed(): Promise<unknown> {
    return Promise.all(this.#informers.map((informer) => informer.indexed));
  }

  expectWrite(object: DeepReadonly<T>): void {
    this.#byNamespace.get(object.metadata.namespace ?? '')?.expectWrite(object);
  }

  expectDeletion(key: ObjectKey): void {
    this.#byNamespace.get(key.namespace ?? '')?.expectDeletion(key);
  }

  expectEvent(event: PackedEvent<KubernetesObject>): void {
    this.#byNamespace.get(event.key.namespace ?? '')?.expectEvent(event);
  }

  isCurrent(requirement: ReadRequirement): boolean {
    return this.#concerned(requirement).every((informer) => informer.isCurrent(requirement));
  }

  readBeginning(requirement: ReadRequirement): () => boolean {
    const beginnings = this.#concerned(requirement).map((informer) => informer.readBeginning(requirement));
    return () => beginnings.every((isCurrent) => isCurrent());
  }

  onProgress(listener: () => void): () => void {
    const stops = this.#informers.map((informer) => informer.onProgress(listener));
    return () => {
      for (const stop of stops) stop();
    };
  }

  stats(): PackedStoreStats {
    return sumOfStats(this.#informers.map((informer) => informer.stats()));
  }

  addHandler(handler: InformerHandler<T>): Registration {
    const registrations = this.#informers.map((informer) => informer.addHandler(handler));
    const synced = Promise.all(registrations.map((registration) => registration.synced)).then(() => undefined);
    return {
      synced,
      get hasSynced() {
        return registrations.every((registration) => registration.hasSynced);
      },
      remove() {
        for (const registration of registrations) registration.remove();
      },
    };
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#informers.map((informer) => informer.run(signal)));
  }

  /** Returns the informers of the objects that a read concerns. */
  #concerned({ namespace }: ReadRequirement): readonly SharedInformer<T>[] {
    if (!namespace) return this.#informers;
    const informer = this.#byNamespace.get(namespace);
    return informer ? [informer] : [];
  }
}

class MultiNamespaceStore<T extends KubernetesObject> implements CacheStore<T> {
  readonly #stores: ReadonlyMap<string, CacheStore<T>>;

  constructor(stores: ReadonlyMap<string, CacheStore<T>>) {
    this.#stores = stores;
  }

  get size(): number {
    return [...this.#stores.values()].reduce((size, store) => size + store.size, 0);
  }

  count(namespace?: string): number {
    checkNamespace('count', namespace);
    return namespace === undefined ? this.size : (this.#stores.get(namespace)?.count(namespace) ?? 0);
  }

  keys(namespace?: string): Iterable<ObjectKey> {
    checkNamespace('keys', namespace);
    if (namespace !== undefined) return this.#storeOf(namespace)?.keys(namespace) ?? [];
    return concatenated([...this.#stores.values()].map((store) => store.keys()[Symbol.iterator]()));
  }

  get(key: ObjectKey): DeepReadonly<T> | undefined {
    return this.#storeOf(key.namespace)?.get(key);
  }

  lazy(key: ObjectKey): LazyObject<T> | undefined {
    return this.#storeOf(key.namespace)?.lazy(key);
  }

  list(namespace?: string): DeepReadonly<T>[] {
    checkNamespace('list', namespace);
    if (namespace !== undefined) return this.#storeOf(namespace)?.list(namespace) ?? [];
    return [...this.#stores.values()].flatMap((store) => store.list());
  }

  byIndex(name: string, value: string): DeepReadonly<T>[] {
    return [...this.#stores.values()].flatMap((store) => store.byIndex(name, value));
  }

  select(query: StoreQuery): Iterable<Selected<T>> {
    const { namespace } = query;
    if (namespace !== undefined) return this.#storeOf(namespace)?.select(query) ?? [];
    const parts: Iterator<Selected<T>>[] = [];
    try {
      // Each selection begins now.
      for (const store of this.#stores.values()) parts.push(store.select(query)[Symbol.iterator]());
    } catch (error) {
      for (const part of parts) part.return?.();
      throw error;
    }
    return concatenated(parts);
  }

  /** @throws {InformerStoppedError} if the informers have stopped, also for a namespace that is not cached. */
  #storeOf(namespace = ''): CacheStore<T> | undefined {
    const store = this.#stores.get(namespace);
    if (!store) this.keys();
    return store;
  }
}

/** Iterates over each part, and ends all of them, also if one fails. */
function* concatenated<T>(parts: readonly Iterator<T>[]): Generator<T, void, undefined> {
  try {
    for (const part of parts) yield* { [Symbol.iterator]: () => part };
  } finally {
    for (const part of parts) part.return?.();
  }
}
