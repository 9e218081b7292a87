import { isApiError, isTransportError, shortened } from '@mcr/client';

/** Maximum number of nested causes that are examined. */
const MAX_DEPTH = 8;

/**
 * Identifies a problem of a cluster by its HTTP status, or by the kind of failure if the cluster could not be reached.
 * The message does not count, because a server can change it with each response.
 */
export function problemOf(error: Error): string {
  let cause: unknown = error;
  for (let depth = 0; depth < MAX_DEPTH && cause instanceof Error; depth += 1) {
    if (isTransportError(cause)) return `transport: ${cause.code}`;
    if (isApiError(cause)) return `status: ${cause.status}`;
    cause = cause.cause;
  }
  return shortened(error.message);
}
