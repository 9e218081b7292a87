import { ERROR_BRAND, hasBrand, McrError } from '../errors/mcr-error.ts';

/**
 * A read asked for a namespace that the cache does not hold. Not a `TypeError`, because the namespace may come from an
 * object.
 */
export class NamespaceNotCachedError extends McrError {
  override readonly name = 'NamespaceNotCachedError';
  readonly [ERROR_BRAND] = '@mcr/client/NamespaceNotCachedError';
}

/** Whether `error` is a {@link NamespaceNotCachedError}. */
export function isNamespaceNotCached(error: unknown): error is NamespaceNotCachedError {
  return hasBrand<NamespaceNotCachedError>(error, '@mcr/client/NamespaceNotCachedError');
}
