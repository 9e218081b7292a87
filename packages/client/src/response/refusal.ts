import { isNoKindMatch } from '../kinds/no-kind-match-error.ts';
import { isApiError } from './api-error.ts';

/** Transient statuses: 408 Request Timeout, 409 Conflict, 410 Gone, 429 Too Many Requests. */
const TRANSIENT: ReadonlySet<number> = new Set([408, 409, 410, 429]);

/**
 * Reports whether a working API server refused a request, and refuses it until permissions, credentials or kinds change: it
 * does not know the kind, or answered with a status of 400 to 499 that is not transient. All other failures may end with the
 * next attempt.
 */
export function isRefusal(error: unknown): error is Error {
  if (isNoKindMatch(error)) return true;
  return isApiError(error) && error.status >= 400 && error.status < 500 && !TRANSIENT.has(error.status);
}
