import { keyOf, type DeepReadonly, type KubernetesObject, type ObjectKey } from '../kinds/object.ts';
import type { IndexExtractor } from './cache.ts';
import type { LazyObject, ReadonlyStore } from './informer.ts';
import { decodedObject } from './lazy-object.ts';
import { added, type Notification } from './notification.ts';

/** Result of {@link Store.put}. */
export type Replaced<T> =
  /** The store already had this version of the object. */
  | { readonly type: 'unchanged' }
  | { readonly type: 'added' }
  /** The store had `old`. If its `uid` differs, it was another object with the same name. */
  | { readonly type: 'replaced'; readonly old: T };

/** Receives the error of an index function, or a TypeError for a result that is not iterable. */
export type IndexFailureHandler = (index: string, object: DeepReadonly<KubernetesObject>, error: unknown) => void;

interface Index<T extends KubernetesObject> {
  readonly name: string;
  readonly extract: IndexExtractor<T>;
  readonly objects: Map<string, Set<DeepReadonly<T>>>;
}

/**
 * Holds objects by namespace and name, and by indexes. Keeps the given objects, not copies, so readers must not change
 * them.
 *
 * The keys of the maps are the objects' own strings, so that a key costs no memory.
 */
export class Store<T extends KubernetesObject> implements ReadonlyStore<T> {
  /** Namespace (`''` for cluster-scoped objects) → name → object. Empty namespaces are removed. */
  #namespaces = new Map<string, Map<string, DeepReadonly<T>>>();
  #indexes = new Map<string, Index<T>>();
  #size = 0;
  readonly #onIndexFailure: IndexFailureHandler;

  /** @param onIndexFailure called when an index function throws. The object is omitted from that index only. */
  constructor(onIndexFailure: IndexFailureHandler = () => undefined) {
    this.#onIndexFailure = onIndexFailure;
  }

  get size(): number {
    return this.#size;
  }

  count(namespace?: string): number {
    return namespace === undefined ? this.#size : (this.#namespaces.get(namespace)?.size ?? 0);
  }

  *keys(namespace?: string): Generator<ObjectKey, void, undefined> {
    const objects = namespace === undefined ? this.values() : (this.#namespaces.get(namespace)?.values() ?? []);
    for (const { metadata } of objects) yield keyOf(metadata);
  }

  get({ namespace = '', name }: ObjectKey): DeepReadonly<T> | undefined {
    return this.#namespaces.get(namespace)?.get(name);
  }

  lazy(key: ObjectKey): LazyObject<T> | undefined {
    const object = this.get(key);
    return object && decodedObject(object);
  }

  resourceVersionOf(key: ObjectKey): string | undefined {
    return this.get(key)?.metadata.resourceVersion;
  }

  isDeleting(key: ObjectKey): boolean {
    return this.get(key)?.metadata.deletionTimestamp !== undefined;
  }

  list(namespace?: string): DeepReadonly<T>[] {
    if (namespace !== undefined) return [...(this.#namespaces.get(namespace)?.values() ?? [])];
    return [...this.values()];
  }

  /** Returns the notifications for a handler that was added now. They do not include later changes. */
  events(): Iterable<Notification<T>> {
    return initialNotifications(this.list());
  }

  /** Iterates over all objects, in their state at each moment of the iteration. */
  *values(): Generator<DeepReadonly<T>, void, undefined> {
    for (const objects of this.#namespaces.values()) yield* objects.values();
  }

  byIndex(name: string, value: string): DeepReadonly<T>[] {
    const index = this.#indexes.get(name);
    if (!index) {
      const known = [...this.#indexes.keys()].map((known) => JSON.stringify(known)).join(', ');
      throw new TypeError(
        `index ${JSON.stringify(name)} does not exist: create it with indexField${known && ` (existing indexes: ${known})`}`,
      );
    }
    return [...(index.objects.get(value) ?? [])];
  }

  /** Adds an index over existing and future objects. If an index with this name exists, does nothing. */
  addIndex(name: string, extract: IndexExtractor<T>): void {
    if (this.#indexes.has(name)) return;
    const index: Index<T> = { name, extract, objects: new Map() };
    this.#indexes.set(name, index);
    for (const object of this.values()) this.#addToIndex(index, object);
  }

  put(object: DeepReadonly<T>): Replaced<DeepReadonly<T>> {
    const { namespace = '', name } = object.metadata;
    let objects = this.#namespaces.get(namespace);
    if (!objects) this.#namespaces.set(namespace, (objects = new Map<string, DeepReadonly<T>>()));
    const old = objects.get(name);
    if (old && isSameVersion(old, object)) return { type: 'unchanged' };
    objects.set(name, object);
    for (const index of this.#indexes.values()) {
      if (old) this.#removeFromIndex(index, old);
      this.#addToIndex(index, object);
    }
    if (old) return { type: 'replaced', old };
    this.#size++;
    return { type: 'added' };
  }

  /** Deletes an object. Returns it, or `undefined` if it did not exist. */
  delete({ namespace = '', name }: ObjectKey): DeepReadonly<T> | undefined {
    const objects = this.#namespaces.get(namespace);
    const old = objects?.get(name);
    if (!objects || !old) return undefined;
    objects.delete(name);
    if (objects.size === 0) this.#namespaces.delete(namespace);
    for (const index of this.#indexes.values()) this.#removeFromIndex(index, old);
    this.#size--;
    return old;
  }

  /** Returns an empty store with the same indexes. */
  emptyCopy(): Store<T> {
    const copy = new Store<T>(this.#onIndexFailure);
    for (const [name, { extract }] of this.#indexes) copy.addIndex(name, extract);
    return copy;
  }

  #addToIndex({ name, extract, objects }: Index<T>, object: DeepReadonly<T>): void {
    let values: readonly string[];
    try {
      values = [...extract(object)];
    } catch (error) {
      this.#onIndexFailure(name, object, error);
      return;
    }
    for (const value of values) {
      const found = objects.get(value);
      if (found) found.add(object);
      else objects.set(value, new Set([object]));
    }
  }

  /** Assumes that `extract` returns the same values as before, because the object has not changed. */
  #removeFromIndex({ extract, objects }: Index<T>, object: DeepReadonly<T>): void {
    let values: readonly string[];
    try {
      values = [...extract(object)];
    } catch {
      // The object was not added to this index either.
      return;
    }
    for (const value of values) {
      const found = objects.get(value);
      if (found?.delete(object) && found.size === 0) objects.delete(value);
    }
  }

  /** Exchanges the objects of two stores. Afterwards both have the indexes of both. */
  swap(other: Store<T>): void {
    for (const [name, { extract }] of this.#indexes) other.addIndex(name, extract);
    for (const [name, { extract }] of other.#indexes) this.addIndex(name, extract);
    [this.#namespaces, other.#namespaces] = [other.#namespaces, this.#namespaces];
    [this.#indexes, other.#indexes] = [other.#indexes, this.#indexes];
    [this.#size, other.#size] = [other.#size, this.#size];
  }
}

function* initialNotifications<T extends KubernetesObject>(
  objects: readonly DeepReadonly<T>[],
): Generator<Notification<T>, void, undefined> {
  for (const object of objects) yield added(object, { initial: true });
}

/** Reports whether two objects with the same name have the same version. Without a version, they may differ. */
export function isSameVersion(a: DeepReadonly<KubernetesObject>, b: DeepReadonly<KubernetesObject>): boolean {
  const { uid, resourceVersion } = a.metadata;
  return Boolean(resourceVersion) && resourceVersion === b.metadata.resourceVersion && uid === b.metadata.uid;
}
