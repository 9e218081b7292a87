import { ERROR_BRAND, hasBrand, McrError } from '../errors/mcr-error.ts';

/**
 * A cache's `transform` threw (`cause`), or its result cannot be cached. The informer keeps its previous
 * state and retries.
 */
export class CacheTransformError extends McrError {
  override readonly name = 'CacheTransformError';
  readonly [ERROR_BRAND] = '@mcr/client/CacheTransformError';
}

/** Whether `error` is a {@link CacheTransformError}. */
export function isCacheTransformError(error: unknown): error is CacheTransformError {
  return hasBrand<CacheTransformError>(error, '@mcr/client/CacheTransformError');
}
