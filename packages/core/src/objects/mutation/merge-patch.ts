/** A JSON object. `undefined` means that a field is absent. */
type Fields = Readonly<Record<string, unknown>>;

/**
 * Returns the RFC 7386 merge patch from `before` to `after`, or `undefined` if they are equal. A merge patch replaces
 * lists as a whole, and cannot set a field to `null`, so `null` counts as absent.
 */
export function mergePatchOf(before: object, after: object): Fields | undefined {
  const from = before as Fields;
  const to = after as Fields;
  const patch: Record<string, unknown> = {};
  for (const name of new Set([...Object.keys(from), ...Object.keys(to)])) {
    const change = changeOf(from[name] ?? undefined, to[name] ?? undefined);
    if (change !== undefined) patch[name] = change;
  }
  return Object.keys(patch).length > 0 ? patch : undefined;
}

/** Whether a merge patch replaces a list, which may overwrite concurrent changes. */
export function replacesList(patch: unknown): boolean {
  if (Array.isArray(patch)) return true;
  return isFields(patch) && Object.values(patch).some(replacesList);
}

/** Returns the patch of one value: the new value, `null` to remove it, or `undefined` if it does not change. */
function changeOf(before: unknown, after: unknown): unknown {
  if (after === undefined) return before === undefined ? undefined : null;
  if (isFields(before) && isFields(after)) return mergePatchOf(before, after);
  return isSame(before, after) ? undefined : after;
}

function isSame(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((element, index) => isSame(element, b[index]));
  }
  if (isFields(a) && isFields(b)) return mergePatchOf(a, b) === undefined;
  return a === b;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
