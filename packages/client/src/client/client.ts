import type { Kind } from '../kinds/kind.ts';
import type {
  ApplyConfiguration,
  DeepReadonly,
  Draft,
  KubernetesList,
  KubernetesObject,
  ObjectKey,
} from '../kinds/object.ts';
import type { Table } from '../kinds/table.ts';
import type { ListTotal } from '../transport/response-limits.ts';
import type { WatchEvent } from '../packed/watch-event.ts';
import type { ShardSelector } from '../shards/shard-selector.ts';
import type { PackedReader } from './packed-reader.ts';

/** Options of every call. */
export interface CallOptions {
  /** Aborts the call. */
  readonly signal?: AbortSignal;
  /** Deadline of the call in milliseconds. Default: the config's `requestTimeout`. */
  readonly timeout?: number;
  /** With `never`, the call fails at the first failure. Default: retries if that is safe and the deadline allows it. */
  readonly retry?: 'never';
}

/** Options of {@link Reader.get} and {@link Reader.find}. */
export interface GetOptions extends CallOptions {
  /** Required version: `'0'` accepts any, `N` accepts `N` and newer ones. Default: the most recent version. */
  readonly resourceVersion?: string;
}

/** A lookup of one value in an index created by `indexField`. */
export interface IndexLookup {
  readonly name: string;
  readonly value: string;
}

/** Options of {@link Reader.list}. (Upstream: `metav1.ListOptions`.) */
export interface ListOptions extends CallOptions {
  /** Namespace of the objects. Default: all namespaces. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /**
   * Selects objects by the hash of their uid or namespace (KEP-5866, alpha in Kubernetes 1.36). The client drops other
   * objects that a server returns, because older servers ignore the selector. So a page may have few objects or none, and
   * `remainingItemCount` may count other objects. A list fails with a `ShardMismatchError` if the server applied another
   * selector. A cache refuses the option.
   */
  readonly shardSelector?: ShardSelector;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan';
  /**
   * Objects per page. A list call returns one page; {@link KubernetesList.metadata} has the token of the next one. See
   * `listPages`.
   */
  readonly limit?: number;
  readonly continue?: string;
  /**
   * Pass the same object for each page of a list, so that `limits.list` limits all pages together. Default: limits each
   * page.
   */
  readonly total?: ListTotal;
  /**
   * Called with the token of the next page before this page is parsed, so that the next page can be requested during
   * parsing. Not called by a cache, or if the server writes the token after the objects.
   */
  readonly onContinue?: (token: string) => void;
  /**
   * Selects objects with indexes of a cache. With several lookups, objects must match all of them. API servers have no
   * indexes.
   */
  readonly index?: IndexLookup | readonly IndexLookup[];
}

/** Reads objects of one cluster, from its API server or a cache. (Upstream: controller-runtime's `client.Reader`.) */
export interface Reader {
  /**
   * Returns the object.
   *
   * @throws {ApiError} for which `isNotFound` holds if the object does not exist.
   * @throws {CacheNotSyncedError} if the reader is a cache and has not synced in time.
   * @throws {InformerStoppedError} if the reader is a cache that has stopped.
   */
  get<T extends KubernetesObject>(kind: Kind<T>, key: ObjectKey, options?: GetOptions): Promise<DeepReadonly<T>>;
  /** Returns the object, or `undefined` if it does not exist. */
  find<T extends KubernetesObject>(
    kind: Kind<T>,
    key: ObjectKey,
    options?: GetOptions,
  ): Promise<DeepReadonly<T> | undefined>;
  /** Returns the selected objects of a kind: by default all, with {@link ListOptions.limit} one page. */
  list<T extends KubernetesObject>(kind: Kind<T>, options?: ListOptions): Promise<DeepReadonly<KubernetesList<T>>>;
}

/** Options of {@link Client.table}. */
export interface TableOptions extends Omit<ListOptions, 'index' | 'shardSelector'> {
  /** Part of the object that each row contains. Default: its metadata. */
  readonly includeObject?: 'None' | 'Metadata' | 'Object';
}

/** Options of {@link Writer.create}, {@link Writer.update} and {@link Writer.patch}. */
export interface WriteOptions extends CallOptions {
  /**
   * The field manager recorded in `metadata.managedFields`, at most 128 characters. Default: the name in the user
   * agent.
   */
  readonly fieldManager?: string;
  /** Whether the server processes the request without storing the result. Default: false. */
  readonly dryRun?: boolean;
  /** How the server handles unknown and duplicate fields. Default: `Warn`. */
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict';
}

/**
 * Options of {@link Writer.apply}. {@link WriteOptions.fieldManager} is required, here or through `withFieldManager`: it
 * becomes the owner of the fields.
 */
export interface ApplyOptions extends WriteOptions {
  /** Whether to take over fields that other managers own, instead of failing with a conflict. Default: false. */
  readonly force?: boolean;
}

/** Options of every deletion. */
export interface DeletionOptions extends CallOptions {
  readonly propagationPolicy?: 'Foreground' | 'Background' | 'Orphan';
  readonly gracePeriodSeconds?: number;
  readonly dryRun?: boolean;
}

/** Options of {@link Writer.delete}. */
export interface DeleteOptions extends DeletionOptions {
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

/** Options of {@link Writer.deleteCollection}. */
export interface DeleteCollectionOptions extends DeletionOptions {
  /** Required for a namespaced kind: an API server deletes in one namespace at a time. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/** Format of a patch: RFC 7386 merge patch, RFC 6902 JSON patch, or strategic merge patch for built-in kinds. */
export type PatchType = 'merge' | 'json' | 'strategic';

/** Writes objects of one cluster. (Upstream: controller-runtime's `client.Writer`.) */
export interface Writer {
  /**
   * Creates an object, and returns it as stored.
   *
   * @throws {ApiError} for which `isAlreadyExists` holds if an object with this name exists.
   */
  create<T extends KubernetesObject>(kind: Kind<T>, object: DeepReadonly<Draft<T>>, options?: WriteOptions): Promise<T>;
  /**
   * Replaces an object, and returns it as stored.
   *
   * @throws {ApiError} for which `isConflict` holds if `metadata.resourceVersion` is set and the object has changed.
   */
  update<T extends KubernetesObject>(kind: Kind<T>, object: DeepReadonly<Draft<T>>, options?: WriteOptions): Promise<T>;
  /** Changes an object with a patch in the format `type`, and returns it as stored. */
  patch<T extends KubernetesObject>(
    kind: Kind<T>,
    key: ObjectKey,
    patch: unknown,
    type: PatchType,
    options?: WriteOptions,
  ): Promise<T>;
  /**
   * Applies `configuration` server-side: sets its fields and owns them, and removes fields that this manager applied
   * before and now omits. Creates the object if it does not exist.
   *
   * @throws {TypeError} if no field manager is named.
   * @throws {ApiError} for which `isConflict` holds if another manager owns a field; `details.causes` names it.
   */
  apply<T extends KubernetesObject>(
    kind: Kind<T>,
    configuration: DeepReadonly<ApplyConfiguration<T>>,
    options?: ApplyOptions,
  ): Promise<T>;
  /** Resolves when the server has accepted the deletion. Finalizers may keep the object for a while. */
  delete<T extends KubernetesObject>(kind: Kind<T>, key: ObjectKey, options?: DeleteOptions): Promise<void>;
  /**
   * Deletes all selected objects. Without a selector, deletes all objects of the namespace or of a cluster-scoped kind.
   */
  deleteCollection<T extends KubernetesObject>(kind: Kind<T>, options?: DeleteCollectionOptions): Promise<void>;
}

/** Writes the `status` of objects and ignores their other fields. */
export type StatusWriter = Pick<Writer, 'update' | 'patch' | 'apply'>;

/** Reads and writes one subresource of any kind that has it. `Body` is the type of the subresource. */
export interface SubresourceClient<Body extends KubernetesObject> {
  get(kind: Kind<KubernetesObject>, key: ObjectKey, options?: GetOptions): Promise<DeepReadonly<Body>>;
  /** Returns the created object; or `body` if the server answers with a Status only, as for `eviction`. */
  create(
    kind: Kind<KubernetesObject>,
    key: ObjectKey,
    body: DeepReadonly<Draft<Body>>,
    options?: WriteOptions,
  ): Promise<Body>;
  update(
    kind: Kind<KubernetesObject>,
    key: ObjectKey,
    body: DeepReadonly<Draft<Body>>,
    options?: WriteOptions,
  ): Promise<Body>;
  patch(
    kind: Kind<KubernetesObject>,
    key: ObjectKey,
    patch: unknown,
    type: PatchType,
    options?: WriteOptions,
  ): Promise<Body>;
  /** See {@link Writer.apply}. */
  apply(
    kind: Kind<KubernetesObject>,
    key: ObjectKey,
    configuration: DeepReadonly<ApplyConfiguration<Body>>,
    options?: ApplyOptions,
  ): Promise<Body>;
}

/** Options of {@link Client.watch}. */
export interface WatchOptions {
  /** Ends the watch. */
  readonly signal: AbortSignal;
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Selects objects by the hash of their uid or namespace. The client drops events of other objects. */
  readonly shardSelector?: ShardSelector;
  /**
   * With `N`, sends exactly the changes after version `N`. With `'0'`, starts with an `ADDED` event for each existing
   * object. Default: like `'0'`, with the most recent objects.
   */
  readonly resourceVersion?: string;
  /** Whether to start with the existing objects, followed by a bookmark that marks their end (KEP-3157). Default: false. */
  readonly sendInitialEvents?: boolean;
  /** Whether the server may send bookmarks. Default: true. */
  readonly allowWatchBookmarks?: boolean;
  /** Time in seconds after which the server ends the watch. Default: the server's choice. */
  readonly timeoutSeconds?: number;
  /**
   * Total of the list that the watch continues: `limits.list` then limits the list and the watch's additions together.
   * Default: limits only the initial objects of `sendInitialEvents`.
   */
  readonly total?: ListTotal;
}

/** Reads, writes and watches objects of one cluster. */
export interface Client extends Reader, Writer {
  readonly status: StatusWriter;
  /**
   * Returns a client for a subresource other than `status`. `body` is the kind of the subresource.
   *
   * @example
   * await client.subresource('scale', Scale).patch(Deployment, key, { spec: { replicas: 3 } }, 'merge');
   * await client.subresource('eviction', Eviction).create(Pod, key, { metadata: key });
   */
  subresource<Body extends KubernetesObject>(name: string, body: Kind<Body>): SubresourceClient<Body>;
  /**
   * Returns a list as `kubectl get` prints it, with the server's columns and cells. Always reads from the server, never
   * from a cache.
   *
   * @throws {ApiError} if the server cannot return the kind as a table.
   */
  table<T extends KubernetesObject>(kind: Kind<T>, options?: TableOptions): Promise<DeepReadonly<Table<T>>>;
  /**
   * Yields the changes of a kind one by one until the server ends the watch. Does not resume or relist; use an informer
   * for that.
   *
   * @throws {ApiError} if the server refuses the watch. An error within the stream arrives as an `ERROR` event.
   */
  watch<T extends KubernetesObject>(kind: Kind<T>, options: WatchOptions): AsyncIterable<WatchEvent<T>>;
  /**
   * Lists and watches for caches, without decoding. Its results must be those of {@link list} and {@link watch}. Default:
   * caches encode the results of `list` and `watch` again, which costs about twice as much time.
   */
  readonly packed?: PackedReader | undefined;
  /**
   * Calls `listener` when requests start to use other credentials, so that refused requests can be retried.
   *
   * @returns a function that removes the listener.
   */
  onCredentials(listener: () => void): () => void;
}
