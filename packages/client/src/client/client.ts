import type { Kind } from '../kinds/kind.ts';
import type { DeepReadonly, Draft, KubernetesList, KubernetesObject, ObjectKey } from '../kinds/object.ts';
import type { WatchEvent } from '../watch/watch-event.ts';

/** What every call takes. */
export interface CallOptions {
  /** Ends the call. */
  readonly signal?: AbortSignal;
  /** Deadline of the call in milliseconds. Default: the config's `requestTimeout`. */
  readonly timeout?: number;
}

export interface GetOptions extends CallOptions {
  /** Unset: most recent. `'0'`: any. `N`: not older than `N`. */
  readonly resourceVersion?: string;
}

export interface ListOptions extends CallOptions {
  /** Default: all namespaces. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan';
  /** Objects per page. The client follows no page by itself: {@link KubernetesList.metadata} says how to go on. */
  readonly limit?: number;
  readonly continue?: string;
  /** Only of a cache: an index made by `indexField`, and the value looked up in it. */
  readonly index?: { readonly name: string; readonly value: string };
}

export interface Reader {
  /** @throws {ApiError} for which `isNotFound` holds, when there is no such object. */
  get<T extends KubernetesObject>(kind: Kind<T>, key: ObjectKey, options?: GetOptions): Promise<DeepReadonly<T>>;
  /** The object, or `undefined` when there is no such object. */
  find<T extends KubernetesObject>(
    kind: Kind<T>,
    key: ObjectKey,
    options?: GetOptions,
  ): Promise<DeepReadonly<T> | undefined>;
  list<T extends KubernetesObject>(kind: Kind<T>, options?: ListOptions): Promise<DeepReadonly<KubernetesList<T>>>;
}

export interface WriteOptions extends CallOptions {
  readonly fieldManager?: string;
  readonly dryRun?: boolean;
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict';
}

export interface DeleteOptions extends CallOptions {
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly propagationPolicy?: 'Foreground' | 'Background' | 'Orphan';
  readonly gracePeriodSeconds?: number;
  readonly dryRun?: boolean;
}

/** How a patch is written: RFC 7386 merge patch, RFC 6902 JSON patch, or the strategic merge of built-in kinds. */
export type PatchType = 'merge' | 'json' | 'strategic';

export interface Writer {
  create<T extends KubernetesObject>(kind: Kind<T>, object: DeepReadonly<Draft<T>>, options?: WriteOptions): Promise<T>;
  /** Replaces the object. With `metadata.resourceVersion` set, only that version of it. */
  update<T extends KubernetesObject>(kind: Kind<T>, object: DeepReadonly<Draft<T>>, options?: WriteOptions): Promise<T>;
  patch<T extends KubernetesObject>(
    kind: Kind<T>,
    key: ObjectKey,
    patch: unknown,
    type: PatchType,
    options?: WriteOptions,
  ): Promise<T>;
  /** Resolves when the server has accepted the deletion; finalizers may keep the object for a while. */
  delete<T extends KubernetesObject>(kind: Kind<T>, key: ObjectKey, options?: DeleteOptions): Promise<void>;
}

/** Writes to one subresource, such as `status`. */
export type SubresourceWriter = Pick<Writer, 'update' | 'patch'>;

export interface WatchOptions {
  readonly signal: AbortSignal;
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Unset or `'0'`: begins with an ADDED for each object there is. `N`: exactly what follows `N`. */
  readonly resourceVersion?: string;
  /** Asks for the initial objects, then a bookmark that ends them (KEP-3157). */
  readonly sendInitialEvents?: boolean;
  /** Default: true. */
  readonly allowWatchBookmarks?: boolean;
  /** After how many seconds the server ends the watch. Default: the server's. */
  readonly timeoutSeconds?: number;
}

/** Reads and writes of one cluster, and watches of it. */
export interface Client extends Reader, Writer {
  status: SubresourceWriter;
  /**
   * The changes of a kind, one by one, until the server ends the watch. It neither resumes nor lists again: an
   * informer does.
   *
   * @throws {ApiError} when the server refuses the watch. An error within the stream arrives as an `ERROR` event.
   */
  watch<T extends KubernetesObject>(kind: Kind<T>, options: WatchOptions): AsyncIterable<WatchEvent<T>>;
  /** As {@link watch}, with the events that arrived together given together: what a reflector reads. */
  watchBatches<T extends KubernetesObject>(
    kind: Kind<T>,
    options: WatchOptions,
  ): AsyncIterable<readonly WatchEvent<T>[]>;
}
