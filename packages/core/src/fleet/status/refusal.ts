import { isApiError, isNoKindMatch } from '@mcr/client';

/** Transient statuses: 408 Request Timeout, 409 Conflict, 410 Gone, 429 Too Many Requests. */
const TRANSIENT: ReadonlySet<number> = new Set([408, 409, 410, 429]);

/**
 * Whether the error is a refusal by a working API server that lasts until permissions, credentials or kinds change.
 * Retries and health checks handle all other failures of a watch.
 */
export function isRefusal(error: Error | undefined): error is Error {
  if (isNoKindMatch(error)) return true;
  return isApiError(error) && error.status >= 400 && error.status < 500 && !TRANSIENT.has(error.status);
}
