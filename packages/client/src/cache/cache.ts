import type { Reader } from '../client/client.ts';
import type { Kind } from '../kinds/kind.ts';
import type { DeepReadonly, KubernetesObject, ObjectKey } from '../kinds/object.ts';
import type { Informer, InformerHandler, Subscription } from './informer.ts';

/** Which objects of a kind an informer holds. Equal scopes share one informer. */
export interface InformerScope {
  /** Default: all. More than one namespace is one list and watch each. */
  readonly namespaces?: readonly string[];
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/** The values of one object in an index. */
export type IndexExtractor<T extends KubernetesObject> = (object: DeepReadonly<T>) => readonly string[];

/** Makes indexes for `list(kind, { index })`. */
export interface FieldIndexer {
  /**
   * Makes an index, over the objects that there are and those to come. Registering it again with the same function is
   * harmless.
   *
   * @throws {TypeError} if the kind has an index of this name with another function. Functions are compared by identity.
   */
  indexField<T extends KubernetesObject>(kind: Kind<T>, name: string, extract: IndexExtractor<T>): Promise<void>;
}

/**
 * Reads of one cluster, answered from informers that are made when they are first asked for. A read waits until its
 * informer has synced, and with `resourceVersion: N` until that is not older than `N` as far as the read goes: an object
 * that is there, in its own version. Quiet kinds are told of the version of all by a bookmark, about once a minute.
 */
export interface Cache extends Reader, FieldIndexer {
  /**
   * Lets reads wait until the cache has been told of a write: until it holds this version of the object or a newer one.
   * {@link readYourWrites} calls it. An object that the cache does not select is not waited for.
   */
  expectWrite<T extends KubernetesObject>(kind: Kind<T>, object: DeepReadonly<T>): void;
  /** Lets reads wait until an object that the cache holds is gone, or marked to go. */
  expectDeletion(kind: Kind<KubernetesObject>, key: ObjectKey): void;
  /**
   * The shared informer of a kind within a scope. It starts when the cache runs, and is kept until the cache ends or
   * {@link removeInformer} is called, as one that was made by a read is.
   */
  informer<T extends KubernetesObject>(kind: Kind<T>, scope?: InformerScope): Promise<Informer<T>>;
  /**
   * Adds a handler to the shared informer of a kind within a scope. An informer that has only been subscribed to stops,
   * and frees what it holds, a minute after its last subscription was removed; reads that came while it had
   * subscriptions do not keep it. (controller-runtime keeps every informer.)
   */
  subscribe<T extends KubernetesObject>(
    kind: Kind<T>,
    handler: InformerHandler<T>,
    scope?: InformerScope,
  ): Promise<Subscription<T>>;
  /**
   * The objects of that kind and name that informers hold now, in any scope, whole or as metadata. Starts no informer and
   * waits for nothing. Default: none.
   */
  peek?(
    kind: Pick<Kind<KubernetesObject>, 'apiVersion' | 'kind'>,
    key: ObjectKey,
  ): readonly DeepReadonly<KubernetesObject>[];
  /** Stops the informers of a kind and frees what they hold. */
  removeInformer(kind: Kind<KubernetesObject>): void;
  /** Whether all informers that there are now have synced before `signal` aborted. */
  waitForSync(signal: AbortSignal): Promise<boolean>;
  /** Runs the informers, those asked for later too. Resolves after the abort. */
  run(signal: AbortSignal): Promise<void>;
}
