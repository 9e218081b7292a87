import type { ServedSchema } from './crd-schema.ts';
import { otherFieldsOf, propertyOf } from './crd-schema.ts';

/**
 * Returns the path of the first field of `wanted` that an API server drops if it serves `served`; `undefined` if there is none. The
 * served schema comes from a cluster, so that it may have wrong types: only its fields count, and no other keyword is read.
 */
export function droppedField(wanted: ServedSchema, served: ServedSchema, path = ''): string | undefined {
  const others = otherFieldsOf(served);
  for (const [name, field] of Object.entries(wanted.properties ?? {})) {
    const at = path === '' ? name : `${path}.${name}`;
    const found = propertyOf(served, name) ?? others;
    const dropped = found ? droppedField(field, found, at) : at;
    if (dropped !== undefined) return dropped;
  }
  const { additionalProperties: value, items } = wanted;
  const inValues = typeof value === 'object' && others ? droppedField(value, others, `${path}[*]`) : undefined;
  return inValues ?? (items && served.items ? droppedField(items, served.items, `${path}[]`) : undefined);
}
