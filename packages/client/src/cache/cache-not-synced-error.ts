/** Marks the class across copies of this package. */
const BRAND = Symbol.for('@mcr/client/CacheNotSyncedError');

/**
 * A read could not be answered, because the objects of its kind have not been listed yet. `cause` is why the latest
 * list or watch failed, if one did.
 */
export class CacheNotSyncedError extends Error {
  override readonly name = 'CacheNotSyncedError';
  readonly [BRAND] = true;
}

/** Whether `error` is a {@link CacheNotSyncedError}. */
export function isCacheNotSynced(error: unknown): error is CacheNotSyncedError {
  return error instanceof Error && BRAND in error;
}
