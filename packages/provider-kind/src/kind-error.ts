import { ERROR_BRAND, hasBrand, McrError } from '@mcr/core/provider';

/**
 * Why a command did not do what it was asked for: there is no such program, it ended with another exit code than 0, or it
 * took too long.
 */
export type KindFailure = 'missing' | 'failed' | 'late';

/** A `kind` command that failed. The message is what it said. */
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
