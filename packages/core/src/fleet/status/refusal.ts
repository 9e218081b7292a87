import { isApiError, isNoKindMatch } from '@mcr/client';

/** Answers that pass by themselves: 408 Request Timeout, 409 Conflict, 410 Gone, 429 Too Many Requests. */
const PASSING: ReadonlySet<number> = new Set([408, 409, 410, 429]);

/**
 * Whether an API server that works has said no, and will for as long as nobody changes permissions, credentials or kinds.
 * Of all else that goes wrong with a watch, its retries and the health checks take care.
 */
export function isRefusal(error: Error | undefined): error is Error {
  if (isNoKindMatch(error)) return true;
  return isApiError(error) && error.status >= 400 && error.status < 500 && !PASSING.has(error.status);
}
