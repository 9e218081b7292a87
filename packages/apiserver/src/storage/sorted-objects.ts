import type { StoredObject } from './stored-object.ts';

/**
 * Objects sorted by key. A namespace is a contiguous range, and a page continues after the last key of the previous
 * one.
 */
export class SortedObjects {
  readonly #objects: StoredObject[];

  constructor(objects: StoredObject[] = []) {
    this.#objects = objects;
  }

  get size(): number {
    return this.#objects.length;
  }

  /** Adds an object, or replaces the one with the same key. */
  set(object: StoredObject): void {
    const last = this.#objects.at(-1);
    if (last === undefined || last.key < object.key) {
      this.#objects.push(object);
      return;
    }
    const index = this.indexOf(object.key);
    const replaces = this.#objects[index]?.key === object.key;
    if (replaces) this.#objects[index] = object;
    else this.#objects.splice(index, 0, object);
  }

  delete(key: string): void {
    const index = this.indexOf(key);
    if (this.#objects[index]?.key === key) this.#objects.splice(index, 1);
  }

  /** Returns the index of the first object whose key is `key` or sorts after it. */
  indexOf(key: string): number {
    let low = 0;
    let high = this.#objects.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#objects[middle]?.key ?? '') < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Returns the objects of a namespace; `''` returns all. */
  list(namespace: string): StoredObject[] {
    if (namespace === '') return this.#objects.slice();
    // '0' follows '/', so the range contains every key that starts with `<namespace>/`.
    return this.#objects.slice(this.indexOf(`${namespace}/`), this.indexOf(`${namespace}0`));
  }

  copy(): SortedObjects {
    return new SortedObjects(this.#objects.slice());
  }
}
