import { isApiError, isTransportError, shortened } from '@mcr/client';

/** How many causes of an error are followed. */
const MAX_DEPTH = 8;

/**
 * What tells one problem of a cluster from another: the kind of failure or the HTTP status, if the cluster has answered or
 * could not be reached. Its wording does not count, because a server can change that with each answer.
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
