import { orAborted } from '../clock/or-aborted.ts';
import type { DeepReadonly, KubernetesObject, ObjectKey } from '../kinds/object.ts';
import type { IndexExtractor } from './cache.ts';
import type { ReadTarget } from './expected-writes.ts';
import type { Informer } from './informer.ts';

/** What a read is about, and how new the answer must be; it must always have what was written before. */
export interface ReadRequirement extends ReadTarget {
  /** Default: any version will do. */
  readonly version?: string;
}

/** An informer as the cache that makes it sees it. */
export interface CacheInformer<T extends KubernetesObject> extends Informer<T> {
  expectWrite(object: DeepReadonly<T>): void;
  expectDeletion(key: ObjectKey): void;
  /** Whether a read can be answered as it wants. */
  isCurrent(requirement: ReadRequirement): boolean;
  /** Calls `listener` when `isCurrent` may have changed, until the function that it returns is called. */
  onProgress(listener: () => void): () => void;
  addIndex(name: string, extract: IndexExtractor<T>): void;
  run(signal: AbortSignal): Promise<void>;
}

/**
 * Resolves when the read can be answered.
 *
 * @throws the signal's reason, when `signal` aborts first.
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
