import { copyNumberText } from '../schema/number-texts.ts';

/** Applies an RFC 7386 merge patch: objects merge, `null` removes, everything else replaces. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(target)) return withoutNulls(patch);
  if (!isObject(patch)) return patch;
  const merged = new Map(Object.entries(target));
  for (const [field, value] of Object.entries(patch)) {
    if (value === null) merged.delete(field);
    else merged.set(field, mergePatch(merged.get(field), value));
  }
  const result = Object.fromEntries(sorted(merged));
  for (const field of merged.keys()) copyNumberText(patch, field, result);
  return result;
}

/** The library of kube-apiserver also removes each `null` field of objects in new lists. Items of lists stay. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(withoutNulls);
    for (const index of items.keys()) copyNumberText(value, String(index), items);
    return items;
  }
  if (!isObject(value)) return value;
  const kept = sorted(Object.entries(value).filter(([, child]) => child !== null));
  const result = Object.fromEntries(kept.map(([field, child]) => [field, withoutNulls(child)]));
  for (const field of Object.keys(result)) copyNumberText(value, field, result);
  return result;
}

/** Sorts fields by name, as Go writes a map: faults of several fields are reported in this order. */
function sorted(fields: Iterable<[string, unknown]>): [string, unknown][] {
  return [...fields].toSorted(([a], [b]) => (a < b ? -1 : 1));
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
