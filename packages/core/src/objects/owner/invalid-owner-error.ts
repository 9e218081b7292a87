/** Marks the class across copies of this package. */
const BRAND = Symbol.for('@mcr/core/InvalidOwnerError');

/** An object cannot own another one, because the garbage collector would not find it. */
export class InvalidOwnerError extends Error {
  override readonly name = 'InvalidOwnerError';
  readonly [BRAND] = true;
}

/** Whether `error` is an {@link InvalidOwnerError}. */
export function isInvalidOwner(error: unknown): error is InvalidOwnerError {
  return error instanceof Error && BRAND in error;
}
