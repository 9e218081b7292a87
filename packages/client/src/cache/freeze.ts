/** Freezes plain JSON at every depth, however deep, so that writing to a shared object fails at once. */
export function deepFreeze<T>(value: T): T {
  // A stack of its own: an API server takes objects that are nested deeper than calls can be.
  const left: unknown[] = [value];
  while (left.length > 0) {
    const part = left.pop();
    if (typeof part !== 'object' || part === null || Object.isFrozen(part)) continue;
    Object.freeze(part);
    for (const child of Object.values(part)) if (typeof child === 'object') left.push(child);
  }
  return value;
}
