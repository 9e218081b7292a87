import type { DeepReadonly, KubernetesObject, ObjectKey } from '../kinds/object.ts';
import type { IndexExtractor } from './cache.ts';
import type { ReadonlyStore } from './informer.ts';

/** What putting an object into a store did to it. */
export type Replaced<T> =
  /** Nothing: this version of the object was there. */
  | { readonly type: 'unchanged' }
  | { readonly type: 'added' }
  /** `old` was there; another `uid` means that it is another object of the same name. */
  | { readonly type: 'replaced'; readonly old: T };

/** Receives what an index function threw, or the TypeError for a result that is not iterable. */
export type IndexFailureHandler = (index: string, object: DeepReadonly<KubernetesObject>, error: unknown) => void;

interface Index<T extends KubernetesObject> {
  readonly name: string;
  readonly extract: IndexExtractor<T>;
  readonly objects: Map<string, Set<DeepReadonly<T>>>;
}

/**
 * Objects by namespace and name, and by the indexes that were asked for. Holds the objects that it is given, not
 * copies; whoever reads them must not change them.
 *
 * The maps' keys are the objects' own strings, so that a key costs no memory.
 */
export class Store<T extends KubernetesObject> implements ReadonlyStore<T> {
  /** Namespace (`''` for cluster-scoped objects) → name → object. No namespace is empty. */
  #namespaces = new Map<string, Map<string, DeepReadonly<T>>>();
  #indexes = new Map<string, Index<T>>();
  #size = 0;
  readonly #onIndexFailure: IndexFailureHandler;

  /** @param onIndexFailure called when an index function throws; the object is left out of that index only. */
  constructor(onIndexFailure: IndexFailureHandler = () => undefined) {
    this.#onIndexFailure = onIndexFailure;
  }

  get size(): number {
    return this.#size;
  }

  get({ namespace = '', name }: ObjectKey): DeepReadonly<T> | undefined {
    return this.#namespaces.get(namespace)?.get(name);
  }

  list(namespace?: string): DeepReadonly<T>[] {
    if (namespace !== undefined) return [...(this.#namespaces.get(namespace)?.values() ?? [])];
    return [...this.values()];
  }

  /** All objects, as they are at each moment of the iteration. */
  *values(): Generator<DeepReadonly<T>, void, undefined> {
    for (const objects of this.#namespaces.values()) yield* objects.values();
  }

  byIndex(name: string, value: string): DeepReadonly<T>[] {
    const index = this.#indexes.get(name);
    if (!index) {
      const known = [...this.#indexes.keys()].map((known) => JSON.stringify(known)).join(', ');
      throw new TypeError(
        `there is no index ${JSON.stringify(name)}: make it with indexField${known && ` (there are: ${known})`}`,
      );
    }
    return [...(index.objects.get(value) ?? [])];
  }

  /** Makes an index, over what is there and what will be. One of that name that is there already stays as it is. */
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

  /** The object that was there. */
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

  /** A store without objects that has the same indexes. */
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

  /** Exchanges the objects of two stores at once. Either has the indexes of both afterwards. */
  swap(other: Store<T>): void {
    for (const [name, { extract }] of this.#indexes) other.addIndex(name, extract);
    for (const [name, { extract }] of other.#indexes) this.addIndex(name, extract);
    [this.#namespaces, other.#namespaces] = [other.#namespaces, this.#namespaces];
    [this.#indexes, other.#indexes] = [other.#indexes, this.#indexes];
    [this.#size, other.#size] = [other.#size, this.#size];
  }
}

/** Of one name. A server that gives no versions may have changed anything. */
export function isSameVersion(a: DeepReadonly<KubernetesObject>, b: DeepReadonly<KubernetesObject>): boolean {
  const { uid, resourceVersion } = a.metadata;
  return Boolean(resourceVersion) && resourceVersion === b.metadata.resourceVersion && uid === b.metadata.uid;
}
