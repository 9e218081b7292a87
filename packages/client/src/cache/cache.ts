import type { Reader } from '../client/client.ts';
import type { Kind } from '../kinds/kind.ts';
import type { DeepReadonly, KubernetesObject, ObjectKey } from '../kinds/object.ts';
import type { IndexExtractor } from '../store/index-extractor.ts';
import type { KindCacheStats } from './cache-stats.ts';
import type { Shard } from '../shards/shard.ts';
import type { Informer, InformerHandler, Subscription } from './informer.ts';

/** The objects of a kind that an informer holds. Equal scopes share one informer. */
export interface InformerScope {
  /** Namespaces, each with its own list and watch. Default: one list and watch of all namespaces. */
  readonly namespaces?: readonly string[];
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** The part of these objects to hold, which may change. Default: all of them. */
  readonly shard?: Shard;
}

export type { IndexExtractor, IndexPath } from '../store/index-extractor.ts';

/** Creates indexes for `list(kind, { index })`. */
export interface FieldIndexer {
  /**
   * Adds an index over existing and future objects. Adding it again with the same function or path has no effect.
   * Resolves when all existing objects are in the index, which takes turns of the event loop. A list by the index
   * before that completes it at once.
   *
   * The function may read the cache, but not the index that it belongs to while existing objects are added: that throws
   * a `TypeError`, and the object is left out of the index.
   *
   * @example
   * await indexer.indexField(Pod, 'node', '.spec.nodeName');
   * await indexer.indexField(Pod, 'app', ['metadata', 'labels', 'app.kubernetes.io/name']);
   * await indexer.indexField(Pod, 'image', ({ spec }) => spec?.containers.map(({ image }) => image ?? '') ?? []);
   * @throws {TypeError} if `extract` is neither a function nor a path, or if the kind has an index with this name and
   * another function or path. Functions are compared by identity.
   */
  indexField<T extends KubernetesObject>(kind: Kind<T>, name: string, extract: IndexExtractor<T>): Promise<void>;
}

/**
 * Answers reads of one cluster from informers, which are created on first use. A read waits until its informer has
 * synced. With `resourceVersion: N`, it waits until the cached data has version `N` or a newer one: for a read of one
 * object, the version of that object is sufficient. Kinds without changes receive the newest version in a bookmark, about
 * once a minute. (Upstream: controller-runtime's `cache.Cache`.)
 */
export interface Cache extends Reader, FieldIndexer {
  /**
   * Makes reads wait until the cache has received a write: until it holds this version of the object or a newer one.
   * {@link readYourWrites} calls it. Objects outside the cache's scope are ignored.
   */
  expectWrite<T extends KubernetesObject>(kind: Kind<T>, object: DeepReadonly<T>): void;
  /** Makes reads wait until a cached object is deleted or marked for deletion. */
  expectDeletion(kind: Kind<KubernetesObject>, key: ObjectKey): void;
  /**
   * Returns the shared informer of a kind and scope. It starts when the cache runs. Like an informer that was created
   * by a read, it is kept until the cache ends or {@link removeInformer} is called.
   */
  informer<T extends KubernetesObject>(kind: Kind<T>, scope?: InformerScope): Promise<Informer<T>>;
  /**
   * Adds a handler to the shared informer of a kind and scope. An informer with subscriptions only stops, and frees its
   * memory, a minute after its last subscription was removed; reads during its subscriptions do not keep it.
   * (controller-runtime keeps every informer.)
   */
  subscribe<T extends KubernetesObject>(
    kind: Kind<T>,
    handler: InformerHandler<T>,
    scope?: InformerScope,
  ): Promise<Subscription<T>>;
  /**
   * Returns the objects of a kind and name that informers hold now. Does not start an informer and does not wait. A cache
   * without this method counts as one that holds none.
   *
   * @param scope only the informer of this kind and scope. Default: the informers of every scope, whole or as metadata.
   */
  peek?(
    kind: Pick<Kind<KubernetesObject>, 'apiVersion' | 'kind' | 'metadataOnly'>,
    key: ObjectKey,
    scope?: InformerScope,
  ): readonly DeepReadonly<KubernetesObject>[];
  /**
   * Returns figures of each kind that has an informer, for metrics. Reads counters only. A cache without this method is
   * not measured, for example because it is a view of another cache.
   */
  stats?(): KindCacheStats[];
  /**
   * Stops the informers of a kind in all scopes, and frees their memory. Their handlers get no more events. Do not remove
   * a kind that a controller watches, because the controller does not subscribe again. A later read, informer or
   * subscription starts a new informer.
   */
  removeInformer(kind: Kind<KubernetesObject>): void;
  /** Waits for all existing informers. Resolves to whether they synced before `signal` aborted. */
  waitForSync(signal: AbortSignal): Promise<boolean>;
  /** Runs the informers, including those that are created later. Resolves after the abort. */
  run(signal: AbortSignal): Promise<void>;
}
