/** Marks the class across copies of this package. */
const BRAND = Symbol.for('@mcr/client/WatchDecodeError');

/**
 * A watch stream holds what is not a watch event. The message says where and how long it is, and shows nothing of it:
 * it may be part of a Secret.
 */
export class WatchDecodeError extends Error {
  override readonly name = 'WatchDecodeError';
  readonly [BRAND] = true;
}

/** Whether `error` is a {@link WatchDecodeError}. */
export function isWatchDecodeError(error: unknown): error is WatchDecodeError {
  return typeof error === 'object' && error !== null && BRAND in error;
}
