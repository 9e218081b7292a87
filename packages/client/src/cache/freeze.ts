/** Freezing this many values takes up to 10 ms. */
const MOST_VALUES = 25_000;

/**
 * Freezes plain JSON, so that writing to a shared object fails at once. Freezes at every depth, however deep, up to 25,000
 * values: in an object with more of them, the outermost are frozen and others are not, so that the event loop is not blocked.
 */
export function deepFreeze<T>(value: T): T {
  // A list instead of recursion: an API server accepts objects that are nested deeper than the call stack allows.
  const parts: unknown[] = [value];
  let values = 0;
  for (const part of parts) {
    if (typeof part !== 'object' || part === null || Object.isFrozen(part)) continue;
    // Counted first: the values of a large object take three times as long to get as its keys.
    values += Array.isArray(part) ? part.length : Object.keys(part).length;
    if (values > MOST_VALUES) return value;
    Object.freeze(part);
    for (const child of Object.values(part)) if (typeof child === 'object') parts.push(child);
  }
  return value;
}
