import type { DeepReadonly, KubernetesObject, ObjectKey, ObjectMeta } from '../kinds/object.ts';
import type { ComparedField } from '../store/packed-object.ts';

export type { ComparedField } from '../store/packed-object.ts';

/**
 * One version of a cached object. `object` and `metadata` are decoded when they are first read, and `metadata` costs
 * less than `object`: a reader pays only for the fields that it reads. It may be kept, and does not change.
 *
 * Fields may be getters of a class. Destructure them (`({ key, object }) => …`); a spread (`{ ...event }`) and
 * `structuredClone` omit them. `JSON.stringify` and `console.log` show the kind and the key, but not the object. No two
 * events are deeply equal: compare their fields.
 */
export interface LazyObject<T extends KubernetesObject> {
  /** Shared and frozen. */
  readonly key: ObjectKey;
  /** Shared and read-only. */
  readonly object: DeepReadonly<T>;
  /** Equal to the metadata of `object`. */
  readonly metadata: DeepReadonly<ObjectMeta>;
}

/**
 * An object left the cache and still exists: the ranges of the informer's shard changed. `object` is its last known
 * state.
 */
export type InformerLeaveEvent<T extends KubernetesObject> = LazyObject<T>;

/** An event of an informer, with the object after the change. */
export type InformerEvent<T extends KubernetesObject> =
  InformerAddEvent<T> | InformerUpdateEvent<T> | InformerDeleteEvent<T>;

/** An object was added to the cache. */
export interface InformerAddEvent<T extends KubernetesObject> extends LazyObject<T> {
  /** Whether the object existed before the handler, or came with the first list. */
  readonly initial: boolean;
}

/** A cached object changed. The fields without `old` are those of the new state. */
export interface InformerUpdateEvent<T extends KubernetesObject> extends LazyObject<T> {
  readonly oldObject: DeepReadonly<T>;
  readonly oldMetadata: DeepReadonly<ObjectMeta>;
  /** Compares a field of the two states without decoding them. Default: {@link hasChanged} compares the metadata. */
  hasChanged?(field: ComparedField): boolean;
}

/** An object was deleted. `object` is its last known state. */
export interface InformerDeleteEvent<T extends KubernetesObject> extends LazyObject<T> {
  /** Whether the deletion itself was missed. Then changes before it may have been missed, too. */
  readonly finalStateUnknown: boolean;
}

/**
 * Receives an informer's events, in the server's order and never concurrently. If a function returns a promise, the next
 * event of this handler waits until it has settled, and the waiting events take memory. Other handlers and the store do
 * not wait. An informer of several namespaces orders the events of each namespace.
 *
 * @example
 * informer.addHandler({
 *   onAdd: ({ key }) => queue.add(key), // decodes nothing
 *   onUpdate: ({ object, oldObject }) => compare(oldObject, object),
 * });
 */
export interface InformerHandler<T extends KubernetesObject> {
  onAdd?(event: InformerAddEvent<T>): unknown;
  /**
   * Called when an object changed. Not called for objects that a relist returns unchanged. (Upstream: client-go calls
   * only handlers with a resync period.) The resource versions can be equal after the server was restored, and on
   * servers that set none.
   */
  onUpdate?(event: InformerUpdateEvent<T>): unknown;
  onDelete?(event: InformerDeleteEvent<T>): unknown;
  /** Called when an object is outside of the new ranges of the informer's shard. It was not deleted. */
  onLeave?(event: InformerLeaveEvent<T>): unknown;
}

/** The registration of a handler with an informer. */
export interface Registration {
  /**
   * Resolves when the handler has handled every object of the first list. Waits for the promises that it returned. Never
   * resolves if it is removed, or the informer stops, before.
   */
  readonly synced: Promise<void>;
  /** Whether {@link synced} has resolved. */
  readonly hasSynced: boolean;
  /** Removes the handler. It is not called again. */
  remove(): void;
}

/** A registration that keeps its informer running. */
export interface Subscription<T extends KubernetesObject> extends Registration {
  readonly informer: Pick<Informer<T>, 'store' | 'lastError' | 'staleFor'>;
}

/**
 * The last known objects. Shared and read-only. When the informer has stopped, every read throws an
 * `InformerStoppedError`, also the next step of an iteration, and the counts are 0. Where a method takes a namespace, `''`
 * means the objects without a namespace, and not all namespaces as in `Reader.list`.
 */
export interface ReadonlyStore<T extends KubernetesObject> {
  /** Number of objects. */
  readonly size: number;
  /** Returns the number of objects in one namespace, or of all. Decodes nothing. */
  count(namespace?: string): number;
  /**
   * Iterates over the keys of one namespace, or of all, and decodes nothing. Objects that are added or deleted during
   * the iteration may be included or not.
   */
  keys(namespace?: string): Iterable<ObjectKey>;
  /** Returns an object; `undefined` if it does not exist. */
  get(key: ObjectKey): DeepReadonly<T> | undefined;
  /** Like {@link get}, for readers that may not need the whole object. */
  lazy(key: ObjectKey): LazyObject<T> | undefined;
  /** Returns the objects of one namespace, or of all. Decodes each of them: use {@link count} or {@link keys} if possible. */
  list(namespace?: string): DeepReadonly<T>[];
  /**
   * Returns the objects that have `value` in the index `name`. @throws {TypeError} if the index does not exist.
   */
  byIndex(name: string, value: string): DeepReadonly<T>[];
}

/** Keeps a store in sync with the objects of one kind and scope on an API server, and notifies handlers of changes. */
export interface Informer<T extends KubernetesObject> {
  /**
   * Adds a handler. It receives the existing objects first, with `initial`, and then the changes.
   *
   * @throws {TypeError} if the handler has no function, or one of its fields is not a function.
   * @throws {InformerStoppedError} if the informer has stopped.
   */
  addHandler(handler: InformerHandler<T>): Registration;
  /** Whether the first list is in the store. */
  readonly hasSynced: boolean;
  /**
   * Resolves when the first list is in the store.
   *
   * @throws the reason of `signal` if it aborts first, or an `InformerStoppedError` if the informer stops first.
   */
  waitForSync(signal: AbortSignal): Promise<void>;
  readonly store: ReadonlyStore<T>;
  /**
   * Version of the objects in the store. When a handler is notified of a change, it is the version of that change.
   * `undefined` before the sync, and if the informer has several namespaces, because each has its own version.
   */
  readonly lastSyncedResourceVersion: string | undefined;
  /**
   * Returns the time since the last data from the server, including bookmarks, in milliseconds. Returns 0 while the watch
   * is healthy: no request failed, and the last data is less than 90 s old.
   */
  staleFor(): number;
  /** Why the latest list or watch failed; `undefined` after a success. An `InformerStoppedError` after a stop. */
  readonly lastError: Error | undefined;
  /**
   * Why a working server does not serve the objects to this client, see {@link isRefusal}: for example, the kind is not
   * installed, or the access is forbidden. `undefined` while a request is in progress, and for a 401, because credentials
   * that are being rotated are refused, too.
   */
  readonly refusal: Error | undefined;
  /**
   * Calls `listener` when the store has received data, or {@link refusal} was set. Returns a function that removes the
   * listener.
   */
  onProgress(listener: () => void): () => void;
}
