import type { StoredObject } from './stored-object.ts';

/** Objects in the order of their keys: a namespace is one range, a page continues after its last key. */
export class SortedObjects {
  readonly #objects: StoredObject[];

  constructor(objects: StoredObject[] = []) {
    this.#objects = objects;
  }

  get size(): number {
    return this.#objects.length;
  }

  /** Adds the object, or puts it in the place of the one of its key. */
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

  /** Where the first object is whose key is `key` or comes after it. */
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

  /** The objects of a namespace; `''`: all. */
  list(namespace: string): StoredObject[] {
    if (namespace === '') return this.#objects.slice();
    // '0' follows '/', so what lies between is every key that begins with `<namespace>/`.
    return this.#objects.slice(this.indexOf(`${namespace}/`), this.indexOf(`${namespace}0`));
  }

  copy(): SortedObjects {
    return new SortedObjects(this.#objects.slice());
  }
}
