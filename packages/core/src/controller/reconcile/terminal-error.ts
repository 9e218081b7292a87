/** Marks the class across copies of this package. */
const BRAND = Symbol.for('@mcr/core/TerminalError');

/** An error that a retry cannot fix. It is logged and counted, and the request is not retried. */
export class TerminalError extends Error {
  override readonly name = 'TerminalError';
  readonly [BRAND] = true;
}

/** Whether `error` is a {@link TerminalError}, or wraps one by `cause`. */
export function isTerminal(error: unknown): boolean {
  for (let candidate = error; candidate instanceof Error; candidate = candidate.cause) {
    if (BRAND in candidate) return true;
    if (candidate.cause === candidate) return false;
  }
  return false;
}
