import { ERROR_BRAND, hasBrand, McrError } from '@mcr/client';

/**
 * An error that a retry cannot fix. It is logged and counted, and the request is not retried. (Upstream:
 * `reconcile.TerminalError`.)
 */
export class TerminalError extends McrError {
  override readonly name = 'TerminalError';
  readonly [ERROR_BRAND] = '@mcr/core/TerminalError';
}

/** Whether `error` is a {@link TerminalError}, or wraps one by `cause`. */
export function isTerminal(error: unknown): boolean {
  for (let candidate = error; candidate instanceof Error; candidate = candidate.cause) {
    if (hasBrand<TerminalError>(candidate, '@mcr/core/TerminalError')) return true;
    if (candidate.cause === candidate) return false;
  }
  return false;
}
