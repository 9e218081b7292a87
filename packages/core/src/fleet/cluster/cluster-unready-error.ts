/** Marks the class across copies of this package. */
const BRAND = Symbol.for('@mcr/core/ClusterUnreadyError');

/** Error of a cluster that is not ready or failed a health check. `cause` is the last failure. */
export class ClusterUnreadyError extends Error {
  override readonly name = 'ClusterUnreadyError';
  readonly [BRAND] = true;
}

/** Whether `error` is a {@link ClusterUnreadyError}. */
export function isClusterUnready(error: unknown): error is ClusterUnreadyError {
  return error instanceof Error && BRAND in error;
}
