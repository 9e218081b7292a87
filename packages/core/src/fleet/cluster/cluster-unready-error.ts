import { ERROR_BRAND, hasBrand, McrError } from '@mcr/client';

/** Error of a cluster that is not ready or failed a health check. `cause` is the last failure. */
export class ClusterUnreadyError extends McrError {
  override readonly name = 'ClusterUnreadyError';
  readonly [ERROR_BRAND] = '@mcr/core/ClusterUnreadyError';
}

/** Whether `error` is a {@link ClusterUnreadyError}. */
export function isClusterUnready(error: unknown): error is ClusterUnreadyError {
  return hasBrand<ClusterUnreadyError>(error, '@mcr/core/ClusterUnreadyError');
}
