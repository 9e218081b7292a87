import { isDeepStrictEqual } from 'node:util';
import type { Schema } from './schema.ts';

/** The value that a part of an object had before an update. */
export interface Before {
  readonly value: unknown;
}

/** Returns the value of a field before an update. */
export function fieldBefore(field: string, path: string, before: Before | undefined): Before | undefined {
  const value = before?.value;
  if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, field))
    return undefined;
  // Both versions are converted to the same kind, so that a change of these is not visible.
  if (path === '' && (field === 'apiVersion' || field === 'kind')) return undefined;
  return { value: (value as Record<string, unknown>)[field] };
}

/** Returns the item with the same keys before an update; items of other lists have no identity. */
export function itemBefore(list: Schema, item: unknown, before: Before | undefined): Before | undefined {
  if (!Array.isArray(before?.value) || list['x-kubernetes-list-type'] !== 'map') return undefined;
  const keys = keysOf(list, item);
  const items: readonly unknown[] = before.value;
  const index = items.findIndex((other) => isDeepStrictEqual(keysOf(list, other), keys));
  return index < 0 ? undefined : { value: items[index] };
}

/** Returns the values that identify an item of a list with the type `map`. */
export function keysOf(list: Schema, item: unknown): object {
  const keys = list['x-kubernetes-list-map-keys'] ?? [];
  const fields = new Map<string, unknown>(typeof item === 'object' && item !== null ? Object.entries(item) : []);
  return Object.fromEntries(keys.filter((key) => fields.has(key)).map((key) => [key, fields.get(key)]));
}
