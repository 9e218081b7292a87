import { ERROR_BRAND, hasBrand, McrError } from '../errors/mcr-error.ts';

/**
 * A read failed because the cache has not listed the objects of its kind yet, or does not have the required version.
 * `cause` is the error of the latest list or watch, if it failed.
 */
export class CacheNotSyncedError extends McrError {
  override readonly name = 'CacheNotSyncedError';
  readonly [ERROR_BRAND] = '@mcr/client/CacheNotSyncedError';
}

/** Whether `error` is a {@link CacheNotSyncedError}. */
export function isCacheNotSynced(error: unknown): error is CacheNotSyncedError {
  return hasBrand<CacheNotSyncedError>(error, '@mcr/client/CacheNotSyncedError');
}
