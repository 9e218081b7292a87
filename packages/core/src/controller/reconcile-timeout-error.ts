import { ERROR_BRAND, hasBrand, McrError } from '@mcr/client';

/** A reconcile took longer than `reconciliationTimeout`. Also the abort reason of the context's signal. */
export class ReconcileTimeoutError extends McrError {
  override readonly name = 'ReconcileTimeoutError';
  readonly [ERROR_BRAND] = '@mcr/core/ReconcileTimeoutError';
}

/** Whether `error` is a {@link ReconcileTimeoutError}. */
export function isReconcileTimeout(error: unknown): error is ReconcileTimeoutError {
  return hasBrand<ReconcileTimeoutError>(error, '@mcr/core/ReconcileTimeoutError');
}
