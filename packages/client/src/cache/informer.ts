import type { DeepReadonly, KubernetesObject, ObjectKey } from '../kinds/object.ts';

/** Receives an informer's events, in the server's order and never concurrently. */
export interface InformerHandler<T extends KubernetesObject> {
  /** @param context.initial whether the object existed before the handler, or came with the first list. */
  onAdd?(object: DeepReadonly<T>, context: { readonly initial: boolean }): void;
  /**
   * Called when an object changed. Not called for objects that a relist returns unchanged. (Upstream: client-go calls
   * only handlers with a resync period.) The resource versions can be equal after the server was restored, and on
   * servers that set none.
   */
  onUpdate?(oldObject: DeepReadonly<T>, newObject: DeepReadonly<T>): void;
  /** @param context.finalStateUnknown whether the deletion itself was missed; `object` is the last known state. */
  onDelete?(object: DeepReadonly<T>, context: { readonly finalStateUnknown: boolean }): void;
}

/** The registration of a handler with an informer. */
export interface Registration {
  /** Resolves when the handler has received every object of the first list. Never resolves if it is removed before. */
  readonly synced: Promise<void>;
  readonly hasSynced: boolean;
  /** Removes the handler. It is not called again. */
  remove(): void;
}

/** A registration that keeps its informer running. */
export interface Subscription<T extends KubernetesObject> extends Registration {
  readonly informer: Pick<Informer<T>, 'store' | 'lastError' | 'staleFor'>;
}

/** The last known objects. Shared and read-only. */
export interface ReadonlyStore<T extends KubernetesObject> {
  readonly size: number;
  get(key: ObjectKey): DeepReadonly<T> | undefined;
  /** Returns the objects of one namespace, or of all. */
  list(namespace?: string): DeepReadonly<T>[];
  /**
   * Returns the objects for which the index `name` returned `value`. @throws {TypeError} if the index does not exist.
   */
  byIndex(name: string, value: string): DeepReadonly<T>[];
}

/** Keeps a store in sync with the objects of one kind and scope on an API server, and notifies handlers of changes. */
export interface Informer<T extends KubernetesObject> {
  addHandler(handler: InformerHandler<T>): Registration;
  readonly hasSynced: boolean;
  /**
   * Resolves when the first list is in the store.
   *
   * @throws the reason of `signal` if it aborts first, or an error if the informer stops first.
   */
  waitForSync(signal: AbortSignal): Promise<void>;
  readonly store: ReadonlyStore<T>;
  /**
   * Latest version that the informer has received. `undefined` before the sync, and if the informer has several
   * namespaces, because each has its own version.
   */
  readonly lastSyncedResourceVersion: string | undefined;
  /** Time since the last data from the server, including bookmarks, in milliseconds; 0 if the watch is healthy. */
  staleFor(): number;
  /** Why the latest list or watch failed; `undefined` after a success. */
  readonly lastError: Error | undefined;
}
