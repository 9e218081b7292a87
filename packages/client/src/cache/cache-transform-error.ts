/** Marks the class across copies of this package. */
const BRAND = Symbol.for('@mcr/client/CacheTransformError');

/**
 * A cache's `transform` threw (`cause`), or returned an object with another identity. The informer keeps its previous
 * state and retries.
 */
export class CacheTransformError extends Error {
  override readonly name = 'CacheTransformError';
  readonly [BRAND] = true;
}

/** Whether `error` is a {@link CacheTransformError}. */
export function isCacheTransformError(error: unknown): error is CacheTransformError {
  return error instanceof Error && BRAND in error;
}
