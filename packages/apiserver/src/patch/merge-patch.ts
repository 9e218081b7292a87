import { mergeSort } from '../representation/merge-sort.ts';
import { copyNumberText } from '../schema/number-texts.ts';
import { setField } from '../schema/set-field.ts';
import type { Paused } from '../turn.ts';
import { complete, Turn } from '../turn.ts';

/** Applies an RFC 7386 merge patch: objects merge, `null` removes, everything else replaces. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  return complete(mergePatching(target, patch, new Turn()));
}

/** Like {@link mergePatch}, with pauses. */
export function* mergePatching(target: unknown, patch: unknown, turn: Turn): Paused<unknown> {
  if (!isObject(target)) return yield* withoutNulls(patch, turn);
  if (!isObject(patch)) return patch;
  const merged = new Map<string, unknown>();
  for (const field of Object.keys(target)) {
    if (turn.step()) yield* turn.pause();
    merged.set(field, target[field]);
  }
  for (const field of Object.keys(patch)) {
    if (turn.step()) yield* turn.pause();
    const value = patch[field];
    if (value === null) merged.delete(field);
    else merged.set(field, isContainer(value) ? yield* mergePatching(merged.get(field), value, turn) : value);
  }
  const result: Record<string, unknown> = {};
  for (const field of yield* sorted([...merged.keys()], turn)) {
    if (turn.step()) yield* turn.pause();
    setField(result, field, merged.get(field));
    copyNumberText(patch, field, result);
  }
  return result;
}

/** The library of kube-apiserver also removes each `null` field of objects in new lists. Items of lists stay. */
function* withoutNulls(value: unknown, turn: Turn): Paused<unknown> {
  if (Array.isArray(value)) {
    const items: unknown[] = [];
    for (const [index, item] of value.entries()) {
      if (turn.step()) yield* turn.pause();
      items.push(isContainer(item) ? yield* withoutNulls(item, turn) : item);
      copyNumberText(value, String(index), items);
    }
    return items;
  }
  if (!isObject(value)) return value;
  const result: Record<string, unknown> = {};
  for (const field of yield* sorted(Object.keys(value), turn)) {
    if (turn.step()) yield* turn.pause();
    const child = value[field];
    if (child === null) continue;
    setField(result, field, isContainer(child) ? yield* withoutNulls(child, turn) : child);
    copyNumberText(value, field, result);
  }
  return result;
}

/** Minimum number of fields that are sorted with pauses. */
const SORT_LATER_FROM = 1024;

/** Sorts fields by name, as Go writes a map: faults of several fields are reported in this order. */
function* sorted(fields: string[], turn: Turn): Paused<string[]> {
  if (fields.length < SORT_LATER_FROM) return fields.sort();
  return yield* mergeSort(fields, (a, b) => (a < b ? -1 : 1), turn);
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
