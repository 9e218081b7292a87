/** Maximum number of values to freeze. Freezing them takes up to 10 ms. */
const MAX_VALUES = 25_000;

/**
 * Freezes plain JSON, so that code that changes a shared object throws. Freezes at any depth, up to 25,000 values: in a
 * larger object, only the outermost values are frozen, so that the event loop is not blocked.
 */
export function deepFreeze<T>(value: T): T {
  // A list instead of recursion, because API servers accept objects that are nested more deeply than the call stack.
  const parts: object[] = [];
  addPart(parts, value);
  let values = 0;
  for (let at = 0; at < parts.length; at += 1) {
    const part = parts[at] as Record<string, unknown>;
    if (Object.isFrozen(part)) continue;
    if (Array.isArray(part)) {
      values += part.length;
      if (values > MAX_VALUES) return value;
      Object.freeze(part);
      for (const item of part) addPart(parts, item);
    } else {
      // Reading each value by its name is several times as fast as `Object.values`.
      const names = Object.keys(part);
      values += names.length;
      if (values > MAX_VALUES) return value;
      Object.freeze(part);
      for (const name of names) addPart(parts, part[name]);
    }
  }
  return value;
}

function addPart(parts: object[], value: unknown): void {
  if (typeof value === 'object' && value !== null) parts.push(value);
}
