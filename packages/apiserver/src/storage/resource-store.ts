import { EventLog } from './event-log.ts';
import type { StoreEvent } from './event-log.ts';
import { SortedObjects } from './sorted-objects.ts';
import type { StoredObject } from './stored-object.ts';

/** The objects of one resource and their history. */
export class ResourceStore {
  readonly log: EventLog;
  readonly #byKey = new Map<string, StoredObject>();
  readonly #sorted = new SortedObjects();

  constructor(historyLimit: number) {
    this.log = new EventLog(historyLimit);
  }

  get size(): number {
    return this.#byKey.size;
  }

  get(key: string): StoredObject | undefined {
    return this.#byKey.get(key);
  }

  apply(event: StoreEvent): void {
    const { object } = event;
    if (event.type === 'DELETED') {
      this.#byKey.delete(object.key);
      this.#sorted.delete(object.key);
    } else {
      this.#byKey.set(object.key, object);
      this.#sorted.set(object);
    }
    this.log.append(event);
  }

  /** Returns the current objects of a namespace (`''`: of all), by key. */
  list(namespace: string): StoredObject[] {
    return this.#sorted.list(namespace);
  }

  /**
   * Returns the objects at `version`, which must not be older than `log.compactedVersion`. Starts with the current
   * objects and undoes all later writes.
   */
  listAt(version: number, namespace: string): StoredObject[] {
    const first = this.log.positionAfter(version);
    if (first === this.log.end) return this.list(namespace);
    const objects = this.#sorted.copy();
    for (let position = this.log.end - 1; position >= first; position--) {
      const event = this.log.at(position);
      if (event?.previous) objects.set(event.previous);
      else if (event) objects.delete(event.object.key);
    }
    return objects.list(namespace);
  }
}
