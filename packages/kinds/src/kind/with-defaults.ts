import { isPlainObject, ownField } from '@mcr/client';
import type { StructuralSchema } from '../structural/structural-schema.ts';

/**
 * Returns a copy of a value with the defaults of a schema, as the server adds them. Nothing is shared with the value or the
 * schema. zod would share the inner parts of a default between all objects.
 */
export function withDefaults(schema: StructuralSchema, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => withDefaults(schema.items ?? {}, item));
  if (!isPlainObject(value)) return value;
  const { properties = {}, additionalProperties = {} } = schema;
  const fields = new Map(
    Object.entries(value).map(([name, field]) => {
      return [name, withDefaults(ownField(properties, name) ?? additionalProperties, field)];
    }),
  );
  for (const [name, property] of Object.entries(properties)) {
    if (property.default === undefined || fields.get(name) !== undefined) continue;
    fields.set(name, withDefaults(property, property.default));
  }
  const result: Record<string, unknown> = Object.fromEntries(fields);
  // zod takes what an object inherits for its fields.
  if (Object.keys(properties).some((name) => name in result)) Object.setPrototypeOf(result, null);
  return result;
}
