/** Maximum length of a chain of causes that is followed. A chain may be a cycle. */
const MAX_DEPTH = 10;

/**
 * Whether `error` or one of its causes matches. An `AggregateError` matches if all of its errors do, because one of
 * them with another cause may need a retry or attention.
 */
export function isCausedBy(error: unknown, matches: (error: Error) => boolean, depth = 1): boolean {
  if (!(error instanceof Error) || depth > MAX_DEPTH) return false;
  if (matches(error)) return true;
  if (error instanceof AggregateError && error.errors.length > 0) {
    if (error.errors.every((part) => isCausedBy(part, matches, depth + 1))) return true;
  }
  return isCausedBy(error.cause, matches, depth + 1);
}
