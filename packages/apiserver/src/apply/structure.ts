import type { Schema } from '../schema/schema.ts';
import { fieldSchema } from '../schema/schema.ts';

/** The parts of a value that can have owners of their own according to its schema, by path element. */
export interface Parts {
  readonly kind: 'object' | 'list';
  readonly byElement: ReadonlyMap<string, Part>;
}

export interface Part {
  readonly value: unknown;
  readonly schema: Schema | undefined;
  /** Whether the part is a field in the schema, rather than an entry of a map or an item of a list. */
  readonly named: boolean;
}

/**
 * Splits a value into parts. Returns `undefined` for a value that is owned as a whole: a scalar, or a list or object
 * that is atomic in its schema. Without a schema, lists are atomic and objects are not (the "deduced" type of
 * structured-merge-diff).
 */
export function takeApart(schema: Schema | undefined, value: unknown): Parts | undefined {
  if (Array.isArray(value)) return takeListApart(schema, value);
  if (typeof value !== 'object' || value === null || schema?.['x-kubernetes-map-type'] === 'atomic') return undefined;
  const byElement = new Map<string, Part>();
  for (const [field, child] of Object.entries(value)) {
    const named = schema?.properties !== undefined && Object.hasOwn(schema.properties, field);
    byElement.set(`f:${field}`, { value: child, schema: fieldSchema(schema, field), named });
  }
  return { kind: 'object', byElement };
}

function takeListApart(schema: Schema | undefined, items: readonly unknown[]): Parts | undefined {
  const listType = schema?.['x-kubernetes-list-type'];
  if (listType !== 'set' && listType !== 'map') return undefined;
  const byElement = new Map<string, Part>();
  for (const item of items) {
    const element = listType === 'set' ? `v:${JSON.stringify(item)}` : keyElement(schema, item);
    // Validation refuses items with missing or duplicate keys. Until then, the list is owned as a whole.
    if (element === undefined || byElement.has(element)) return undefined;
    byElement.set(element, { value: item, schema: schema?.items, named: false });
  }
  return { kind: 'list', byElement };
}

function keyElement(schema: Schema | undefined, item: unknown): string | undefined {
  if (typeof item !== 'object' || item === null) return undefined;
  const keys: Record<string, unknown> = {};
  for (const key of schema?.['x-kubernetes-list-map-keys'] ?? []) {
    const value: unknown = Object.hasOwn(item, key)
      ? (item as Record<string, unknown>)[key]
      : fieldSchema(schema?.items, key)?.default;
    if (value !== undefined) keys[key] = value;
  }
  return Object.keys(keys).length === 0 ? undefined : `k:${JSON.stringify(keys)}`;
}
