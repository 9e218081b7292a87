/** Marks the class across copies of this package. */
const BRAND = Symbol.for('@mcr/core/ClusterUnreadyError');

/** An API server has not given the answer that would make its cluster ready. `cause` is the last failure. */
export class ClusterUnreadyError extends Error {
  override readonly name = 'ClusterUnreadyError';
  readonly [BRAND] = true;
}

/** Whether `error` is a {@link ClusterUnreadyError}. */
export function isClusterUnready(error: unknown): error is ClusterUnreadyError {
  return error instanceof Error && BRAND in error;
}
