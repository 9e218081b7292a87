/** What is plain JSON; `undefined` stands for a field that is not there. */
type Fields = Readonly<Record<string, unknown>>;

/**
 * The RFC 7386 merge patch that makes `after` of `before`, or `undefined` when there is no difference. A merge patch
 * replaces lists as a whole, and knows no field that is `null`: such a field counts as one that is not there.
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

/** What an RFC 7386 merge patch makes of `target`, which stays as it is. */
export function applyMergePatch(target: unknown, patch: unknown): unknown {
  if (!isFields(patch)) return patch;
  const fields = new Map(isFields(target) ? Object.entries(target) : []);
  for (const [name, change] of Object.entries(patch)) {
    if (change === null) fields.delete(name);
    else if (change !== undefined) fields.set(name, applyMergePatch(fields.get(name), change));
  }
  return Object.fromEntries(fields);
}

/** Whether a merge patch replaces a list, and with it what others have put there since it was read. */
export function replacesList(patch: unknown): boolean {
  if (Array.isArray(patch)) return true;
  return isFields(patch) && Object.values(patch).some(replacesList);
}

/** What a patch says of one value: the value itself, `null` to remove it, `undefined` when it stays. */
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
