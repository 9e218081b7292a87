/** By name, and not by class: an error may come from another realm, and a subclass with a name of its own is no mistake. */
const LANGUAGE_ERRORS: ReadonlySet<string> = new Set(['TypeError', 'RangeError', 'ReferenceError']);

/**
 * Whether what a reconciler threw is a mistake in the program, which Go would have panicked with: no `Error` at all,
 * or an error of the language itself. One that has a `code` or a `cause` is a platform's answer to its input, such as
 * that of `new URL` or `fetch`. See docs/decisions/0003-errors-and-panics.md.
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
