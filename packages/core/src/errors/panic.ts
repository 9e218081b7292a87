/** Compared by name, because an error may come from another realm, and a subclass with its own name is not a panic. */
const LANGUAGE_ERRORS: ReadonlySet<string> = new Set(['TypeError', 'RangeError', 'ReferenceError']);

/**
 * Whether a thrown value is a programming error, for which Go would panic: a value that is not an `Error`, or an error
 * of the language itself. An error with a `code` or a `cause` is an expected failure of a platform function, such as
 * `new URL` or `fetch`. See docs/decisions/0003-errors-and-panics.md.
 */
export function isPanic(thrown: unknown): boolean {
  if (typeof thrown !== 'object' || thrown === null || !(thrown instanceof Error || 'stack' in thrown)) return true;
  const { name, code, cause } = thrown as {
    readonly name?: unknown;
    readonly code?: unknown;
    readonly cause?: unknown;
  };
  return typeof name === 'string' && LANGUAGE_ERRORS.has(name) && code === undefined && cause === undefined;
}
