import { ERROR_BRAND, hasBrand, McrError } from '../errors/mcr-error.ts';

/**
 * A cache or an informer was read after it has stopped, or while it stopped. An empty result would look like objects
 * that were deleted.
 */
export class InformerStoppedError extends McrError {
  override readonly name = 'InformerStoppedError';
  readonly [ERROR_BRAND] = '@mcr/client/InformerStoppedError';

  constructor(message = 'the informer has stopped and holds no objects any more: read from a running cache') {
    super(message);
  }
}

/** Whether `error` is an {@link InformerStoppedError}. */
export function isInformerStopped(error: unknown): error is InformerStoppedError {
  return hasBrand<InformerStoppedError>(error, '@mcr/client/InformerStoppedError');
}
