import type { FieldError } from '../status.ts';
import { invalidField } from '../status.ts';
import { keysOf } from './correlation.ts';
import type { Schema } from './schema.ts';
import { fieldSchema } from './schema.ts';

/** Returns an error for each value that a set, or key that a keyed list, contains more than once. */
export function listTypeErrors(schema: Schema, value: unknown, path = ''): FieldError[] {
  if (Array.isArray(value)) {
    const { items } = schema;
    const own = duplicateErrors(schema, value, path);
    return items ? [...own, ...value.flatMap((item, index) => listTypeErrors(items, item, `${path}[${index}]`))] : own;
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([field, child]) => {
    const known = fieldSchema(schema, field);
    if (!known) return [];
    const isProperty = schema.properties !== undefined && Object.hasOwn(schema.properties, field);
    const at = path === '' ? field : `${path}.${field}`;
    return listTypeErrors(known, child, isProperty ? at : `${path}[${field}]`);
  });
}

function duplicateErrors(schema: Schema, list: readonly unknown[], path: string): FieldError[] {
  const listType = schema['x-kubernetes-list-type'];
  if (listType !== 'set' && listType !== 'map') return [];
  if (listType === 'map') {
    const index = list.findIndex((item) => item !== null && (typeof item !== 'object' || Array.isArray(item)));
    const rule = 'must be an object for an array of list-type map';
    if (index >= 0) return [invalidField(`${path}[${index}]`, list[index], rule)];
  }
  const seen = new Map<string, number>();
  return list.flatMap((item, index): FieldError[] => {
    const identity = JSON.stringify(listType === 'set' ? item : keysOf(schema, item));
    const count = seen.get(identity) ?? 0;
    seen.set(identity, count + 1);
    // Only the first repetition is reported.
    if (count !== 1) return [];
    return [{ reason: 'FieldValueDuplicate', field: `${path}[${index}]`, message: `Duplicate value: ${identity}` }];
  });
}
