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
import type { WatchEvent } from '../watch/watch-event.ts';

/** What every call takes. */
export interface CallOptions {
  /** Ends the call. */
  readonly signal?: AbortSignal;
  /** Deadline of the call in milliseconds. Default: the config's `requestTimeout`. */
  readonly timeout?: number;
  /** `never`: a failure is told at once. Default: a call is tried again where that is safe and its deadline allows it. */
  readonly retry?: 'never';
}

export interface GetOptions extends CallOptions {
  /** Unset: most recent. `'0'`: any. `N`: not older than `N`. */
  readonly resourceVersion?: string;
}

/** A lookup of one value in an index created by `indexField`. */
export interface IndexLookup {
  readonly name: string;
  readonly value: string;
}

export interface ListOptions extends CallOptions {
  /** Default: all namespaces. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan';
  /** Objects per page. A list is one page: {@link KubernetesList.metadata} says how to go on, and `listPages` does. */
  readonly limit?: number;
  readonly continue?: string;
  /** For each page of one list the same object: `limits.list` then limits them together. Default: each page alone. */
  readonly total?: ListTotal;
  /**
   * Called with the token of the next page when that is known, before this page is parsed: the next one can be asked for
   * meanwhile. Not of a cache, nor of a server that writes the token behind the objects.
   */
  readonly onContinue?: (token: string) => void;
  /**
   * Selects objects with indexes of a cache. With several lookups, objects must match all of them. API servers have no
   * indexes.
   */
  readonly index?: IndexLookup | readonly IndexLookup[];
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

export interface TableOptions extends Omit<ListOptions, 'index'> {
  /** What comes of the object with each row. Default: its metadata. */
  readonly includeObject?: 'None' | 'Metadata' | 'Object';
}

export interface WriteOptions extends CallOptions {
  /** Who writes, in `metadata.managedFields`: at most 128 characters. Default: the user agent's name. */
  readonly fieldManager?: string;
  /** Does all but store the outcome. */
  readonly dryRun?: boolean;
  /** What becomes of fields that the server does not know, or that stand twice. Default: `Warn`. */
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict';
}

/** {@link WriteOptions.fieldManager} must be named, here or by `withFieldManager`: it is what owns the fields. */
export interface ApplyOptions extends WriteOptions {
  /** Takes over the fields that other managers own, instead of a conflict. */
  readonly force?: boolean;
}

/** How an object is deleted, and what of those that it owns. */
interface Deletion extends CallOptions {
  readonly propagationPolicy?: 'Foreground' | 'Background' | 'Orphan';
  readonly gracePeriodSeconds?: number;
  readonly dryRun?: boolean;
}

export interface DeleteOptions extends Deletion {
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

export interface DeleteCollectionOptions extends Deletion {
  /** Required of a namespaced kind: an API server deletes in one namespace at a time. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
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
  /**
   * Server-side apply: makes the fields of `configuration` so and owns them, and removes those that this manager has
   * applied before and now leaves out. Creates the object when there is none.
   *
   * @throws {TypeError} when no field manager is named.
   * @throws {ApiError} for which `isConflict` holds, when another manager owns a field; `details.causes` names it.
   */
  apply<T extends KubernetesObject>(
    kind: Kind<T>,
    configuration: DeepReadonly<ApplyConfiguration<T>>,
    options?: ApplyOptions,
  ): Promise<T>;
  /** Resolves when the server has accepted the deletion; finalizers may keep the object for a while. */
  delete<T extends KubernetesObject>(kind: Kind<T>, key: ObjectKey, options?: DeleteOptions): Promise<void>;
  /** Deletes all objects that are selected; without a selector, all of the namespace (or of a cluster-scoped kind). */
  deleteCollection<T extends KubernetesObject>(kind: Kind<T>, options?: DeleteCollectionOptions): Promise<void>;
}

/** Writes the `status` of objects, and nothing else of what it is given. */
export type StatusWriter = Pick<Writer, 'update' | 'patch' | 'apply'>;

/** Reads and writes one subresource of any kind that has it. `Body` is what the subresource is made of. */
export interface SubresourceClient<Body extends KubernetesObject> {
  get(kind: Kind<KubernetesObject>, key: ObjectKey, options?: GetOptions): Promise<DeepReadonly<Body>>;
  /** @returns what the server made of it; or, where it answers no more than that it is done (`eviction`), `body`. */
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
  /**
   * The total of the list that the watch follows: `limits.list` then limits that list and what the watch adds together.
   * Default: the limit applies to the initial objects of `sendInitialEvents` alone.
   */
  readonly total?: ListTotal;
}

/** Reads and writes of one cluster, and watches of it. */
export interface Client extends Reader, Writer {
  readonly status: StatusWriter;
  /**
   * A subresource other than `status`, and the kind of object that it takes and gives.
   *
   * @example
   * await client.subresource('scale', Scale).patch(Deployment, key, { spec: { replicas: 3 } }, 'merge');
   * await client.subresource('eviction', Eviction).create(Pod, key, { metadata: key });
   */
  subresource<Body extends KubernetesObject>(name: string, body: Kind<Body>): SubresourceClient<Body>;
  /**
   * A list as `kubectl get` prints it: the server's own columns and cells. Never answered from a cache.
   *
   * @throws {ApiError} when the server cannot show the kind so.
   */
  table<T extends KubernetesObject>(kind: Kind<T>, options?: TableOptions): Promise<DeepReadonly<Table<T>>>;
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
  /**
   * Calls `listener` when requests are sent with other credentials than before: what the server refused may do now.
   *
   * @returns ends it.
   */
  onCredentials(listener: () => void): () => void;
}
