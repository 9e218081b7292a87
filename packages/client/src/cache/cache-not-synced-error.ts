/** Marks the class across copies of this package. */
const BRAND = Symbol.for('@mcr/client/CacheNotSyncedError');

/**
 * A read failed because the cache has not listed the objects of its kind yet, or does not have the required version.
 * `cause` is the error of the latest list or watch, if it failed.
 */
export class CacheNotSyncedError extends Error {
  override readonly name = 'CacheNotSyncedError';
  readonly [BRAND] = true;
}

/** Whether `error` is a {@link CacheNotSyncedError}. */
export function isCacheNotSynced(error: unknown): error is CacheNotSyncedError {
  return error instanceof Error && BRAND in error;
}
