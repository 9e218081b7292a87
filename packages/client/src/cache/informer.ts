import type { DeepReadonly, KubernetesObject, ObjectKey } from '../kinds/object.ts';

/** What an informer tells of its objects. Called in the order of the server's changes, never two at once. */
export interface InformerHandler<T extends KubernetesObject> {
  /** @param context.initial the object was there before the handler, or came with the first list. */
  onAdd?(object: DeepReadonly<T>, context: { readonly initial: boolean }): void;
  /**
   * Not called for what a relist brings unchanged. (Upstream: client-go tells only handlers that resync.) Equal
   * resource versions are possible after the server was restored, and on servers that give none.
   */
  onUpdate?(oldObject: DeepReadonly<T>, newObject: DeepReadonly<T>): void;
  /** @param context.finalStateUnknown the deletion itself was missed; `object` is what was last known. */
  onDelete?(object: DeepReadonly<T>, context: { readonly finalStateUnknown: boolean }): void;
}

/** A handler's place in an informer. */
export interface Registration {
  /** Resolves when the handler has been given every object of the first list. Never, when it is removed before. */
  readonly synced: Promise<void>;
  readonly hasSynced: boolean;
  /** No call of the handler follows. */
  remove(): void;
}

/** A handler's place in an informer that is kept for the sake of its subscriptions. */
export interface Subscription<T extends KubernetesObject> extends Registration {
  readonly informer: Pick<Informer<T>, 'store' | 'lastError' | 'staleFor'>;
}

/** Objects as last seen. Shared and read-only. */
export interface ReadonlyStore<T extends KubernetesObject> {
  readonly size: number;
  get(key: ObjectKey): DeepReadonly<T> | undefined;
  /** Of one namespace, or of all. */
  list(namespace?: string): DeepReadonly<T>[];
  /** The objects for which the index `name` gave `value`. @throws {TypeError} when there is no such index. */
  byIndex(name: string, value: string): DeepReadonly<T>[];
}

/** Keeps a store equal to what an API server holds of one kind within one scope, and tells handlers of each change. */
export interface Informer<T extends KubernetesObject> {
  addHandler(handler: InformerHandler<T>): Registration;
  readonly hasSynced: boolean;
  /**
   * Resolves when the first list is in the store.
   *
   * @throws the signal's reason when that aborts first, and an error when the informer is stopped first.
   */
  waitForSync(signal: AbortSignal): Promise<void>;
  readonly store: ReadonlyStore<T>;
  /** `undefined` before the sync, and where several namespaces each have their own. */
  readonly lastSyncedResourceVersion: string | undefined;
  /** For how many milliseconds nothing has been heard of the server, a bookmark included; 0 while all is well. */
  staleFor(): number;
  /** Why the last list or watch failed; `undefined` since one succeeded. */
  readonly lastError: Error | undefined;
}
