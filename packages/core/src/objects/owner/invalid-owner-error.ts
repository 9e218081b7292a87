import { ERROR_BRAND, hasBrand, McrError } from '@mcr/client';

/** An object cannot own another one, because the garbage collector would not find it. */
export class InvalidOwnerError extends McrError {
  override readonly name = 'InvalidOwnerError';
  readonly [ERROR_BRAND] = '@mcr/core/InvalidOwnerError';
}

/** Whether `error` is an {@link InvalidOwnerError}. */
export function isInvalidOwner(error: unknown): error is InvalidOwnerError {
  return hasBrand<InvalidOwnerError>(error, '@mcr/core/InvalidOwnerError');
}
