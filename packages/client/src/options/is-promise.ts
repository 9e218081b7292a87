/**
 * Reports whether a function that must be synchronous returned a promise. Its rejection is ignored then: it would end the
 * process.
 */
export function isPromise(result: unknown): boolean {
  if (!(result instanceof Promise)) return false;
  result.catch(() => undefined);
  return true;
}
