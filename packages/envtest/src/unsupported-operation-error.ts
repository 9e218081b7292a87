/** Marks the class across copies of this package. */
const BRAND = Symbol.for('@mcr/envtest/UnsupportedOperationError');

/** What only the embedded server can do was asked of another control plane. */
export class UnsupportedOperationError extends Error {
  override readonly name = 'UnsupportedOperationError';
  readonly [BRAND] = true;

  constructor(backend: string, operation: string) {
    super(`a control plane of backend ${JSON.stringify(backend)} does not offer ${operation}: use backend "embedded"`);
  }
}

/** Whether `error` is an {@link UnsupportedOperationError}. */
export function isUnsupportedOperation(error: unknown): error is UnsupportedOperationError {
  return error instanceof Error && BRAND in error;
}
