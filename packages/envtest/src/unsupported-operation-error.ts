/** Identifies the class across copies of this package. */
const BRAND = Symbol.for('@mcr/envtest/UnsupportedOperationError');

/** A control plane was asked for an operation that its backend does not support. */
export class UnsupportedOperationError extends Error {
  override readonly name = 'UnsupportedOperationError';
  readonly [BRAND] = true;

  constructor(backend: string, operation: string) {
    super(`control planes of backend ${JSON.stringify(backend)} do not support ${operation}: use backend "embedded"`);
  }
}

/** Reports whether `error` is an {@link UnsupportedOperationError}. */
export function isUnsupportedOperation(error: unknown): error is UnsupportedOperationError {
  return error instanceof Error && BRAND in error;
}
