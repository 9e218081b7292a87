import type { StoredObject } from './stored-object.ts';

/** A longer run of objects is split into two. */
const LONGEST_RUN = 1_024;

/**
 * Objects sorted by key. A namespace is a contiguous range, and a page continues after the last key of the previous
 * one. A write moves the objects of one run only, however many there are.
 */
export class SortedObjects {
  /** Sorted runs of objects. None is empty. */
  readonly #runs: StoredObject[][];

  constructor(runs: StoredObject[][] = []) {
    this.#runs = runs;
  }

  /** Adds an object, or replaces the one with the same key. */
  set(object: StoredObject): void {
    // A key after all others extends the last run.
    const position = Math.min(this.#runOf(object.key), this.#runs.length - 1);
    const run = this.#runs[position];
    if (!run) {
      this.#runs.push([object]);
      return;
    }
    const index = indexIn(run, object.key);
    if (run[index]?.key === object.key) run[index] = object;
    else run.splice(index, 0, object);
    if (run.length > LONGEST_RUN) this.#runs.splice(position + 1, 0, run.splice(LONGEST_RUN / 2));
  }

  delete(key: string): void {
    const position = this.#runOf(key);
    const run = this.#runs[position];
    if (!run) return;
    const index = indexIn(run, key);
    if (run[index]?.key !== key) return;
    run.splice(index, 1);
    if (run.length === 0) this.#runs.splice(position, 1);
  }

  /** Returns the objects of a namespace; `''` returns all. */
  list(namespace: string): StoredObject[] {
    // '0' follows '/', so the range contains every key that starts with `<namespace>/`.
    return namespace === '' ? this.#runs.flat() : this.#range(`${namespace}/`, `${namespace}0`);
  }

  copy(): SortedObjects {
    return new SortedObjects(this.#runs.map((run) => run.slice()));
  }

  /** Returns the objects from `start` on, before `end`. */
  #range(start: string, end: string): StoredObject[] {
    const found: StoredObject[][] = [];
    for (let position = this.#runOf(start); position < this.#runs.length; position++) {
      const run = this.#runs[position] ?? [];
      const [from, to] = [indexIn(run, start), indexIn(run, end)];
      found.push(run.slice(from, to));
      if (to < run.length) break;
    }
    return found.flat();
  }

  /** Returns the position of the first run whose last key is `key` or sorts after it. */
  #runOf(key: string): number {
    let low = 0;
    let high = this.#runs.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#runs[middle]?.at(-1)?.key ?? '') < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Returns the index of the first object whose key is `key` or sorts after it. */
function indexIn(run: readonly StoredObject[], key: string): number {
  let low = 0;
  let high = run.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((run[middle]?.key ?? '') < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
