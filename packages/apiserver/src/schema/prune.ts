import { builtInTypeName } from './built-in-schema.ts';
import type { Schema } from './schema.ts';
import { fieldSchema } from './schema.ts';

/** Fields of every object, regardless of its schema. */
const OBJECT_FIELDS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

/** Reports whether a part of a built-in kind may have unknown fields, which are dropped without a warning. */
function isLenient(schema: Schema): boolean {
  return builtInTypeName(schema) === 'JSONSchemaPropsOrOther';
}

/**
 * Removes unknown fields in place.
 *
 * @returns the paths of the removed fields, such as `spec.containers[0].imag`.
 */
export function prune(schema: Schema, value: unknown, path = ''): string[] {
  if (Array.isArray(value)) {
    const { items } = schema;
    return items ? value.flatMap((item, index) => prune(items, item, `${path}[${index}]`)) : [];
  }
  if (typeof value !== 'object' || value === null) return [];
  const { additionalProperties } = schema;
  const open = schema['x-kubernetes-preserve-unknown-fields'] === true || additionalProperties === true;
  const embedded = schema['x-kubernetes-embedded-resource'] === true;
  const removed: string[] = [];
  for (const [field, child] of Object.entries(value)) {
    const fieldPath = path === '' ? field : `${path}.${field}`;
    const known = fieldSchema(schema, field);
    if (known) {
      // A real server decodes the schema of items with a decoder that is not strict.
      const inside = prune(known, child, fieldPath);
      if (!isLenient(known)) removed.push(...inside);
    } else if (!open && !(embedded && OBJECT_FIELDS.has(field))) {
      Reflect.deleteProperty(value, field);
      removed.push(fieldPath);
    }
  }
  return removed;
}
