import { EventLog } from './event-log.ts';
import type { StoreEvent } from './event-log.ts';
import type { StoredObject } from './stored-object.ts';

/** The objects of one resource, in the order of their keys, and the history of their changes. */
export class ResourceStore {
  readonly log: EventLog;
  readonly #objects = new Map<string, StoredObject>();
  /** The keys of `#objects`, sorted: a namespace is one range, a page continues after its last key. */
  readonly #keys: string[] = [];

  constructor(historyLimit: number) {
    this.log = new EventLog(historyLimit);
  }

  get size(): number {
    return this.#objects.size;
  }

  get(key: string): StoredObject | undefined {
    return this.#objects.get(key);
  }

  apply(event: StoreEvent): void {
    const { key } = event.object;
    if (event.type === 'DELETED') {
      this.#objects.delete(key);
      this.#keys.splice(indexOfKey(this.#keys, key), 1);
    } else {
      if (event.type === 'ADDED') insertKey(this.#keys, key);
      this.#objects.set(key, event.object);
    }
    this.log.append(event);
  }

  /** The present objects of a namespace (`''`: of all), by key. */
  list(namespace: string): StoredObject[] {
    return this.#range(this.#keys, this.#objects, namespace);
  }

  /**
   * The objects as they were at `version`, which must not be older than `log.compactedVersion`: the present ones
   * with every later write undone.
   */
  listAt(version: number, namespace: string): StoredObject[] {
    const first = this.log.positionAfter(version);
    if (first === this.log.end) return this.list(namespace);
    const objects = new Map(this.#objects);
    for (let position = this.log.end - 1; position >= first; position--) {
      const event = this.log.at(position);
      if (event?.previous) objects.set(event.object.key, event.previous);
      else if (event) objects.delete(event.object.key);
    }
    return this.#range([...objects.keys()].sort(byCodeUnit), objects, namespace);
  }

  #range(keys: readonly string[], objects: ReadonlyMap<string, StoredObject>, namespace: string): StoredObject[] {
    const [from, to] =
      namespace === ''
        ? [0, keys.length]
        : // '0' is the code unit after '/', so the range holds every key that begins with `<namespace>/`.
          [indexOfKey(keys, `${namespace}/`), indexOfKey(keys, `${namespace}0`)];
    const found: StoredObject[] = [];
    for (let index = from; index < to; index++) {
      const object = objects.get(keys[index] ?? '');
      if (object) found.push(object);
    }
    return found;
  }
}

function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Where `key` is in sorted `keys`, or would be. */
function indexOfKey(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((keys[middle] ?? '') < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

function insertKey(keys: string[], key: string): void {
  const last = keys.at(-1);
  if (last === undefined || last < key) keys.push(key);
  else keys.splice(indexOfKey(keys, key), 0, key);
}
