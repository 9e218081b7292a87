import { ResourceStore } from './resource-store.ts';
import type { DeferredObjects } from './deferred-objects.ts';
import type { StoreEvent } from './event-log.ts';
import type { StoredObject } from './stored-object.ts';
import { WriteTurns } from './write-turns.ts';

/** All objects of a logical cluster: the stores of its resources, with one version counter. */
export class ClusterStore {
  readonly turns = new WriteTurns();
  readonly #historyLimit: number;
  readonly #resources = new Map<string, ResourceStore>();
  readonly #byUid = new Map<string, StoredObject>();
  /** Uids of the objects that refer to an owner, by the owner's uid. */
  readonly #dependents = new Map<string, Set<string>>();
  readonly #listeners = new Set<(event: StoreEvent) => void>();
  #deferred: DeferredObjects | undefined;
  #persist: ((event: StoreEvent) => void) | undefined;
  #version = 1;
  /** Version up to which the history was discarded, also that of resources that are written later. */
  #compactedVersion = 0;
  /** Version at which this process filled its watch caches. */
  #filledAt = 0;

  /** @param historyLimit number of events of each resource that a watch can resume from. */
  constructor(historyLimit: number) {
    this.#historyLimit = historyLimit;
  }

  /** Version of the latest write. */
  get version(): number {
    return this.#version;
  }

  resource(id: string): ResourceStore {
    let store = this.#resources.get(id);
    if (!store) {
      store = new ResourceStore(this.#historyLimit);
      if (this.#compactedVersion > 0) store.log.compact(this.#compactedVersion);
      this.#resources.set(id, store);
      this.#fill(id, store);
    }
    return store;
  }

  resourceIds(): IterableIterator<string> {
    this.#complete();
    return this.#resources.keys();
  }

  /**
   * Adds the first objects of a cluster. The objects of a resource are created when it is first used: few clusters are asked
   * for all of them. Nothing is persisted, and no listener is called.
   *
   * @throws {TypeError} if the store has objects.
   */
  defer(objects: DeferredObjects): void {
    if (this.#byUid.size > 0) throw new TypeError('only an empty store can have deferred objects');
    this.#deferred = objects;
    for (const [id, store] of this.#resources) this.#fill(id, store);
    this.#version = objects.version;
  }

  /** A deferred object is not found: nothing has seen its uid yet. */
  byUid(uid: string): StoredObject | undefined {
    return this.#byUid.get(uid);
  }

  /** Returns the objects that refer to `uid` as an owner. */
  dependentsOf(uid: string): StoredObject[] {
    return [...(this.#dependents.get(uid) ?? [])].flatMap((dependent) => this.#byUid.get(dependent) ?? []);
  }

  /** Passes every later write to `persist` before it becomes visible. */
  persistWith(persist: (event: StoreEvent) => void): void {
    this.#persist = persist;
  }

  /** Calls `listener` after each write, in order, before the response is sent. */
  onWrite(listener: (event: StoreEvent) => void): void {
    this.#listeners.add(listener);
  }

  /**
   * Makes the next write: `make` gets its version, and returns the event with the object in that version. The call is
   * synchronous, so no other write can happen in between.
   */
  write(make: (version: number) => StoreEvent): StoredObject {
    const event = make(this.#version + 1);
    this.#persist?.(event);
    this.restore(event);
    for (const listener of this.#listeners) listener(event);
    return event.object;
  }

  /** Restores a write of an earlier run of the server. */
  restore(event: StoreEvent): void {
    const { object, previous } = event;
    this.#version = object.version;
    if (previous) this.#unindex(previous);
    if (event.type !== 'DELETED') this.#index(object);
    this.resource(object.resource).apply(event);
  }

  /** Restores the version counter, if the latest write was one of an object that does not exist any more. */
  restoreVersion(version: number): void {
    this.#version = version;
  }

  /** Returns all objects, in the order of their versions. */
  objects(): StoredObject[] {
    return [...this.#resources.values()]
      .flatMap((store) => store.list(''))
      .toSorted((one, other) => one.version - other.version);
  }

  /** Returns the earliest version that a watch of the resource can resume from (K-29). */
  watchableFrom(id: string): number {
    const { log } = this.resource(id);
    return Math.max(this.#filledAt, log.filledAt, log.compactedVersion);
  }

  /**
   * After a restart, the watch caches contain only the restored objects and no earlier events. Lists and pages of
   * earlier versions are read from storage. (Upstream: `listResourceVersion` of `cacher.watchCache`.)
   */
  fillWatchCaches(): void {
    this.#filledAt = this.#version;
  }

  /** Discards the history of every resource: older watches and pages get 410. */
  compact(): void {
    this.#complete();
    this.#compactedVersion = this.#version;
    for (const store of this.#resources.values()) store.log.compact(this.#version);
  }

  /** Creates the deferred objects of a resource. */
  #fill(id: string, store: ResourceStore): void {
    for (const object of this.#deferred?.objectsOf(id) ?? []) {
      this.#index(object);
      store.apply({ type: 'ADDED', object, previous: undefined });
    }
  }

  #complete(): void {
    for (const id of this.#deferred?.resources ?? []) this.resource(id);
    this.#deferred = undefined;
  }

  #index(object: StoredObject): void {
    this.#byUid.set(object.uid, object);
    for (const { uid } of object.owners) {
      const dependents = this.#dependents.get(uid);
      if (dependents) dependents.add(object.uid);
      else this.#dependents.set(uid, new Set([object.uid]));
    }
  }

  #unindex(object: StoredObject): void {
    this.#byUid.delete(object.uid);
    for (const { uid } of object.owners) {
      const dependents = this.#dependents.get(uid);
      dependents?.delete(object.uid);
      if (dependents?.size === 0) this.#dependents.delete(uid);
    }
  }
}
