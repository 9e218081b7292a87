/** Marks the class across copies of this package. */
const BRAND = Symbol.for('@mcr/core/CacheSyncTimeoutError');

/** A source of a cluster did not sync within `cacheSyncTimeout`. `cause` is the reason, if it is known. */
export class CacheSyncTimeoutError extends Error {
  override readonly name = 'CacheSyncTimeoutError';
  readonly [BRAND] = true;
}

/** Whether `error` is a {@link CacheSyncTimeoutError}. */
export function isCacheSyncTimeout(error: unknown): error is CacheSyncTimeoutError {
  return error instanceof Error && BRAND in error;
}
