/** Maximum number of values to freeze. Freezing them takes up to 10 ms. */
const MAX_VALUES = 25_000;

/**
 * Freezes plain JSON, so that code that changes a shared object throws. Freezes at any depth, up to 25,000 values: in a
 * larger object, only the outermost values are frozen, so that the event loop is not blocked.
 */
export function deepFreeze<T>(value: T): T {
  // A list instead of recursion, because API servers accept objects that are nested more deeply than the call stack.
  const parts: unknown[] = [value];
  let values = 0;
  for (const part of parts) {
    if (typeof part !== 'object' || part === null || Object.isFrozen(part)) continue;
    // Counted first, because getting the values of a large object takes three times as long as getting its keys.
    values += Array.isArray(part) ? part.length : Object.keys(part).length;
    if (values > MAX_VALUES) return value;
    Object.freeze(part);
    for (const child of Object.values(part)) if (typeof child === 'object') parts.push(child);
  }
  return value;
}
