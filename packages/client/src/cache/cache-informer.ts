import { orAborted } from '../clock/or-aborted.ts';
import type { DeepReadonly, KubernetesObject, ObjectKey } from '../kinds/object.ts';
import type { PackedStoreStats } from '../store/store-stats.ts';
import type { IndexExtractor } from './cache.ts';
import type { ReadTarget } from './expected-writes.ts';
import type { Informer, ReadonlyStore } from './informer.ts';
import type { ListedStore } from './list-from-store.ts';

/** The objects that a read concerns, and the required version. A read must always include preceding writes. */
export interface ReadRequirement extends ReadTarget {
  /** Default: any version. */
  readonly version?: string;
}

/** The store of a {@link CacheInformer}. */
export interface CacheStore<T extends KubernetesObject> extends ReadonlyStore<T>, ListedStore<T> {}

/** An informer with the methods that its cache needs. */
export interface CacheInformer<T extends KubernetesObject> extends Informer<T> {
  readonly store: CacheStore<T>;
  expectWrite(object: DeepReadonly<T>): void;
  expectDeletion(key: ObjectKey): void;
  /** Reports whether a read can be answered. */
  isCurrent(requirement: ReadRequirement): boolean;
  /**
   * Why the server does not serve the objects to this client: the kind is not installed, or the access is forbidden.
   * `undefined` while a request is in progress.
   */
  readonly refusal: Error | undefined;
  /**
   * Calls `listener` when the result of `isCurrent` or `refusal` may have changed. Returns a function that removes the
   * listener.
   */
  onProgress(listener: () => void): () => void;
  addIndex(name: string, extract: IndexExtractor<T>): void;
  /** Resolves when the indexes that have been added are complete. */
  readonly indexed: Promise<unknown>;
  /** Returns figures of the store. */
  stats(): PackedStoreStats;
  run(signal: AbortSignal): Promise<void>;
}

/**
 * Resolves when the informer has synced.
 *
 * @throws the refusal of the server before the sync, the reason of `signal` if it aborts first, or an error if the
 * informer stops first.
 */
export async function untilSynced(informer: CacheInformer<KubernetesObject>, signal: AbortSignal): Promise<void> {
  if (informer.hasSynced) return;
  const refused = Promise.withResolvers<void>();
  const check = (): void => {
    if (informer.refusal && !informer.hasSynced) refused.reject(informer.refusal);
  };
  const stop = informer.onProgress(check);
  check();
  try {
    await Promise.race([informer.waitForSync(signal), refused.promise]);
  } finally {
    stop();
  }
}

/**
 * Resolves when the read can be answered.
 *
 * @throws the reason of `signal` if it aborts first.
 */
export async function untilCurrent(
  informer: CacheInformer<KubernetesObject>,
  requirement: ReadRequirement,
  signal: AbortSignal,
): Promise<void> {
  if (informer.isCurrent(requirement)) return;
  const reached = Promise.withResolvers<void>();
  const stop = informer.onProgress(() => {
    if (informer.isCurrent(requirement)) reached.resolve();
  });
  try {
    await orAborted(reached.promise, signal);
  } finally {
    stop();
  }
}
