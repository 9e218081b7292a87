import { builtInSchema, builtInTypeName } from '../../schema/built-in-schema.ts';
import { isQuantity } from '../../schema/built-in/notation.ts';
import type { Schema } from '../../schema/schema.ts';
import { fieldSchema } from '../../schema/schema.ts';
import type { ApiObject, JsonObject } from '../../storage/stored-object.ts';
import { formatQuantity, inThousandths, parseQuantity } from '../quantity.ts';
import { clusterDefaults } from './cluster.ts';
import { coreDefaults } from './core.ts';
import { podDefaults } from './pod.ts';
import type { DefaultsTable } from './table.ts';
import { workloadDefaults } from './workload.ts';

const table: DefaultsTable = { ...coreDefaults, ...podDefaults, ...workloadDefaults, ...clusterDefaults };

/**
 * Sets the defaults of a built-in object in place, outermost types first, and writes quantities in their canonical
 * form, as decoding does upstream.
 *
 * @param type name of its type in the tables.
 */
export function setBuiltInDefaults(type: string, object: ApiObject): void {
  table[type]?.(object);
  descend(builtInSchema(type), object);
}

function visit(schema: Schema, value: unknown): void {
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items) for (const item of value) visit(items, item);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  const name = builtInTypeName(schema);
  if (name !== undefined && Object.hasOwn(table, name)) table[name]?.(value as JsonObject);
  descend(schema, value as JsonObject);
}

const plain = new WeakMap<Schema, boolean>();

/** Reports whether a value has neither defaults nor quantities, such as a map of texts, which can be large. */
function isPlain(schema: Schema): boolean {
  const known = plain.get(schema);
  if (known !== undefined) return known;
  // A type that contains itself is not plain.
  plain.set(schema, false);
  const name = builtInTypeName(schema);
  const { items, additionalProperties, properties = {} } = schema;
  const parts = [...Object.values(properties), items, additionalProperties].filter((part) => typeof part === 'object');
  const result = !isQuantity(schema) && (name === undefined || !Object.hasOwn(table, name)) && parts.every(isPlain);
  plain.set(schema, result);
  return result;
}

function descend(schema: Schema, object: JsonObject): void {
  for (const [field, value] of Object.entries(object)) {
    const known = fieldSchema(schema, field);
    if (!known || isPlain(known)) continue;
    if (isQuantity(known)) {
      const quantity = parseQuantity(value);
      // Maps of quantities are lists of resources.
      const isResource = schema.properties === undefined;
      if (quantity) object[field] = formatQuantity(isResource ? inThousandths(quantity) : quantity);
    } else {
      visit(known, value);
    }
  }
}
