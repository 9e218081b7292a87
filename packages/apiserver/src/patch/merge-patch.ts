import { copyNumberText } from '../schema/number-texts.ts';

/** Applies an RFC 7386 merge patch: objects merge, `null` removes, everything else replaces. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged = new Map(Object.entries(isObject(target) ? target : {}));
  for (const [field, value] of Object.entries(patch)) {
    if (value === null) merged.delete(field);
    else merged.set(field, mergePatch(merged.get(field), value));
  }
  const result = Object.fromEntries(merged);
  for (const field of merged.keys()) copyNumberText(patch, field, result);
  return result;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
