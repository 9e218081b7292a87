import { ERROR_BRAND, hasBrand, McrError } from '@mcr/core/provider';

/**
 * Why a command failed: the program is missing, its exit code is not 0, or it timed out.
 */
export type KindFailure = 'missing' | 'failed' | 'late';

/** A `kind` command failed. The message includes its standard error. */
export class KindError extends McrError {
  override readonly name = 'KindError';
  readonly [ERROR_BRAND] = '@mcr/provider-kind/KindError';
  readonly failure: KindFailure;

  constructor(failure: KindFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.failure = failure;
  }
}

/** Whether `error` is a {@link KindError}. */
export function isKindError(error: unknown): error is KindError {
  return hasBrand<KindError>(error, '@mcr/provider-kind/KindError');
}
