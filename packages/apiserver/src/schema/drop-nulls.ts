import type { Schema } from './schema.ts';
import { fieldSchema } from './schema.ts';

/**
 * Removes in place each `null` that the schema does not allow, and that has no default: a real server decodes it as
 * absence. (Upstream: `PruneNonNullableNullsWithoutDefaults`.)
 */
export function dropNulls(schema: Schema | undefined, value: unknown): void {
  if (Array.isArray(value)) {
    for (const item of value) dropNulls(schema?.items, item);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [field, child] of Object.entries(value)) {
    const known = fieldSchema(schema, field);
    if (child === null && known && known.nullable !== true && known.default === undefined) {
      Reflect.deleteProperty(value, field);
    } else dropNulls(known, child);
  }
}
