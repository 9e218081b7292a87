import { ERROR_BRAND, hasBrand, McrError } from '@mcr/client';

/** A source of a cluster did not sync within `cacheSyncTimeout`. `cause` is the reason, if it is known. */
export class CacheSyncTimeoutError extends McrError {
  override readonly name = 'CacheSyncTimeoutError';
  readonly [ERROR_BRAND] = '@mcr/core/CacheSyncTimeoutError';
}

/** Whether `error` is a {@link CacheSyncTimeoutError}. */
export function isCacheSyncTimeout(error: unknown): error is CacheSyncTimeoutError {
  return hasBrand<CacheSyncTimeoutError>(error, '@mcr/core/CacheSyncTimeoutError');
}
