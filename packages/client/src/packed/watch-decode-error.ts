import { ERROR_BRAND, hasBrand, McrError } from '../errors/mcr-error.ts';

/**
 * A watch stream contains something that is not a watch event. The message names its position and length, but never
 * quotes it: it may be part of a Secret.
 */
export class WatchDecodeError extends McrError {
  override readonly name = 'WatchDecodeError';
  readonly [ERROR_BRAND] = '@mcr/client/WatchDecodeError';
}

/** Whether `error` is a {@link WatchDecodeError}. */
export function isWatchDecodeError(error: unknown): error is WatchDecodeError {
  return hasBrand<WatchDecodeError>(error, '@mcr/client/WatchDecodeError');
}
