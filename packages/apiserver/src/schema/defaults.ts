import type { Schema } from './schema.ts';
import { fieldSchema } from './schema.ts';

/** Sets the defaults of absent fields in place. A `null` that the schema does not allow counts as absent. */
export function applyDefaults(schema: Schema, value: unknown): void {
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items) for (const item of value) applyDefaults(items, item);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  const object = value as Record<string, unknown>;
  for (const [field, property] of Object.entries(schema.properties ?? {})) {
    if (property.default === undefined) continue;
    const absent = !Object.hasOwn(object, field) || (object[field] === null && property.nullable !== true);
    if (!absent) continue;
    // An assignment to `__proto__` would set the prototype.
    const value: unknown = structuredClone(property.default);
    Object.defineProperty(object, field, { value, enumerable: true, configurable: true, writable: true });
  }
  for (const [field, child] of Object.entries(object)) {
    const known = fieldSchema(schema, field);
    if (known) applyDefaults(known, child);
  }
}
