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

/** Returns the item with the same keys before an update; items of other lists, and items without a key, have no identity. */
export function itemBefore(list: Schema, item: unknown, before: Before | undefined): Before | undefined {
  if (!Array.isArray(before?.value) || list['x-kubernetes-list-type'] !== 'map') return undefined;
  const keys = list['x-kubernetes-list-map-keys'] ?? [];
  if (Object.keys(keysOf(list, item)).length < keys.length) return undefined;
  const index = indexOf(list, before.value).get(identityOf(list, item));
  return index === undefined ? undefined : { value: (before.value as readonly unknown[])[index] };
}

interface Index {
  readonly list: Schema;
  readonly positions: ReadonlyMap<string, number>;
}

/** Positions of the items of lists before an update. */
const indexes = new WeakMap<object, Index>();

/** Returns the first positions of the items of a list by their keys. They are found once for all items. */
function indexOf(list: Schema, items: readonly unknown[]): ReadonlyMap<string, number> {
  const known = indexes.get(items);
  if (known?.list === list) return known.positions;
  const positions = new Map<string, number>();
  for (const [index, item] of items.entries()) {
    const identity = identityOf(list, item);
    if (!positions.has(identity)) positions.set(identity, index);
  }
  indexes.set(items, { list, positions });
  return positions;
}

function identityOf(list: Schema, item: unknown): string {
  return JSON.stringify(keysOf(list, item));
}

/** Returns the values that identify an item of a list with the type `map`. */
export function keysOf(list: Schema, item: unknown): object {
  const keys = list['x-kubernetes-list-map-keys'] ?? [];
  const fields = new Map<string, unknown>(typeof item === 'object' && item !== null ? Object.entries(item) : []);
  return Object.fromEntries(keys.filter((key) => fields.has(key)).map((key) => [key, fields.get(key)]));
}
