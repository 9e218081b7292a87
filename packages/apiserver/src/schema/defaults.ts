import type { Schema } from './schema.ts';
import { fieldSchema } from './schema.ts';
import { setField } from './set-field.ts';

/**
 * Sets the defaults of absent fields in place. A `null` that the schema does not allow counts as absent, also as an item and as a
 * value of a map. (Upstream: `pkg/apiserver/schema/defaulting` of apiextensions-apiserver.)
 */
export function applyDefaults(schema: Schema, value: unknown): void {
  if (Array.isArray(value)) {
    const { items } = schema;
    if (!items) return;
    for (const [index, item] of value.entries()) {
      if (isAbsent(items, item) && items.default !== undefined) value[index] = structuredClone(items.default);
      applyDefaults(items, value[index]);
    }
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  const object = value as Record<string, unknown>;
  for (const [field, property] of Object.entries(schema.properties ?? {})) {
    if (property.default === undefined) continue;
    if (!Object.hasOwn(object, field) || isAbsent(property, object[field])) {
      setField(object, field, structuredClone(property.default));
    }
  }
  for (const [field, child] of Object.entries(object)) {
    const known = fieldSchema(schema, field);
    if (!known) continue;
    if (isAbsent(known, child) && known.default !== undefined) setField(object, field, structuredClone(known.default));
    applyDefaults(known, object[field]);
  }
}

function isAbsent({ nullable }: Schema, value: unknown): boolean {
  return value === null && nullable !== true;
}
