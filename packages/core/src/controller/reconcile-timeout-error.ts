/** Marks the class across copies of this package. */
const BRAND = Symbol.for('@mcr/core/ReconcileTimeoutError');

/** A reconcile took longer than `reconciliationTimeout`. Also the abort reason of the context's signal. */
export class ReconcileTimeoutError extends Error {
  override readonly name = 'ReconcileTimeoutError';
  readonly [BRAND] = true;
}

/** Whether `error` is a {@link ReconcileTimeoutError}. */
export function isReconcileTimeout(error: unknown): error is ReconcileTimeoutError {
  return error instanceof Error && BRAND in error;
}
