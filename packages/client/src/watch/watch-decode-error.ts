/** Marks the class across copies of this package. */
const BRAND = Symbol.for('@mcr/client/WatchDecodeError');

/**
 * A watch stream contains something that is not a watch event. The message names its position and length, but never
 * quotes it: it may be part of a Secret.
 */
export class WatchDecodeError extends Error {
  override readonly name = 'WatchDecodeError';
  readonly [BRAND] = true;
}

/** Whether `error` is a {@link WatchDecodeError}. */
export function isWatchDecodeError(error: unknown): error is WatchDecodeError {
  return typeof error === 'object' && error !== null && BRAND in error;
}
