/** Marks the class across copies of this package. */
const BRAND = Symbol.for('@mcr/client/CacheTransformError');

/**
 * A cache's `transform` failed on an object, or made one without the identity of the first. `cause` is what it threw.
 * The informer stays where it was before that object, and tries again.
 */
export class CacheTransformError extends Error {
  override readonly name = 'CacheTransformError';
  readonly [BRAND] = true;
}

/** Whether `error` is a {@link CacheTransformError}. */
export function isCacheTransformError(error: unknown): error is CacheTransformError {
  return error instanceof Error && BRAND in error;
}
