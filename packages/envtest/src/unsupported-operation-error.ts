import { ERROR_BRAND, hasBrand, McrError } from '@mcr/client';

/** A control plane was asked for an operation that its backend does not support. */
export class UnsupportedOperationError extends McrError {
  override readonly name = 'UnsupportedOperationError';
  readonly [ERROR_BRAND] = '@mcr/envtest/UnsupportedOperationError';

  constructor(backend: string, operation: string) {
    super(`control planes of backend ${JSON.stringify(backend)} do not support ${operation}: use backend "embedded"`);
  }
}

/** Reports whether `error` is an {@link UnsupportedOperationError}. */
export function isUnsupportedOperation(error: unknown): error is UnsupportedOperationError {
  return hasBrand<UnsupportedOperationError>(error, '@mcr/envtest/UnsupportedOperationError');
}
