import { isQuantity } from '../schema/built-in/notation.ts';
import { integerType } from '../schema/integer-range.ts';
import type { Schema } from '../schema/schema.ts';
import { fieldSchema } from '../schema/schema.ts';
import { isObject } from './merge-patch.ts';

/**
 * Returns why Go cannot convert the result of a strategic merge patch to the type of the object: the first value of a wrong
 * type. Values that decode themselves, such as times and quantities, are left out. (Upstream: `FromUnstructured`.)
 *
 * @param path path of the value, which tells the sizes of integers.
 */
export function restoreFault(schema: Schema, value: unknown, path = ''): string | undefined {
  if (value === null || decodesItself(schema)) return undefined;
  if (schema.items) {
    if (!Array.isArray(value)) return `cannot restore slice from ${kindOf(value)}`;
    return firstFault(value.map((item) => [schema.items, item, path] as const));
  }
  if (schema.properties || schema.additionalProperties) {
    const type = schema.properties ? 'struct from:' : 'map from';
    if (!isObject(value)) return `cannot restore ${type} ${kindOf(value)}`;
    return firstFault(
      Object.entries(value).map(([field, child]) => [fieldSchema(schema, field), child, `${path}.${field}`] as const),
    );
  }
  const wanted = goType(schema, path);
  if (wanted === undefined || fits(schema, value)) return undefined;
  const isConverted = wanted === 'string' && kindOf(value) === 'int64';
  return isConverted ? 'cannot convert int64 to string' : `unrecognized type: ${wanted}`;
}

function firstFault(
  parts: readonly (readonly [schema: Schema | undefined, value: unknown, path: string])[],
): string | undefined {
  for (const [schema, value, path] of parts) {
    const fault = schema && restoreFault(schema, value, path);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function decodesItself(schema: Schema): boolean {
  const isAny = schema['x-kubernetes-preserve-unknown-fields'] === true && schema.properties === undefined;
  return isAny || isQuantity(schema) || schema['x-kubernetes-int-or-string'] === true || schema.format !== undefined;
}

function goType({ type }: Schema, path: string): string | undefined {
  switch (type) {
    case 'string':
      return 'string';
    case 'boolean':
      return 'bool';
    case 'integer':
      return integerType(path);
    case 'number':
      return 'float64';
    default:
      return undefined;
  }
}

/** Numbers are converted. Fractions in integers have an error of their own. */
function fits({ type }: Schema, value: unknown): boolean {
  return typeof value === (type === 'integer' ? 'number' : type);
}

/** Returns the kind of a decoded value, as Go's package `reflect` names it. */
function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'slice';
  if (typeof value === 'object') return 'map';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return typeof value === 'boolean' ? 'bool' : 'string';
}
