import { orAborted } from '../clock/or-aborted.ts';
import type { DeepReadonly, KubernetesObject, ObjectKey } from '../kinds/object.ts';
import type { PackedStoreStats } from '../store/store-stats.ts';
import type { IndexExtractor } from './cache.ts';
import type { PackedEvent } from '../store/packed-event.ts';
import type { ReadTarget } from './expected-changes.ts';
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
  /** Expects an event that another informer of the kind delivers. */
  expectEvent(event: PackedEvent<KubernetesObject>): void;
  /** Reports whether a read can be answered. */
  isCurrent(requirement: ReadRequirement): boolean;
  /**
   * Returns a function that reports whether a read that begins now can be answered. It does not wait for what is expected
   * later.
   */
  readBeginning(requirement: ReadRequirement): () => boolean;
  addIndex(name: string, extract: IndexExtractor<T>): void;
  /** Resolves when the indexes that have been added are complete. */
  readonly indexed: Promise<unknown>;
  /** Returns figures of the store. */
  stats(): PackedStoreStats;
  run(signal: AbortSignal): Promise<void>;
}

/**
 * Resolves when `isReached` returns true, which is called after each progress of the informer.
 *
 * @throws the reason of `signal` if it aborts first.
 */
export async function untilProgress(
  informer: CacheInformer<KubernetesObject>,
  isReached: () => boolean,
  signal: AbortSignal,
): Promise<void> {
  if (isReached()) return;
  const reached = Promise.withResolvers<void>();
  const stop = informer.onProgress(() => {
    if (isReached()) reached.resolve();
  });
  try {
    await orAborted(reached.promise, signal);
  } finally {
    stop();
  }
}
