import { integerType } from './integer-range.ts';
import type { Schema } from './schema.ts';
import { fieldSchema } from './schema.ts';

const INT64 = 2 ** 63;

/**
 * Returns an object whose 32-bit integers are those that Go converts larger numbers to: it keeps their lowest bits. A real
 * server converts so after an apply and a strategic merge, and refuses such numbers in other requests.
 */
export function wrapIntegers<T>(schema: Schema, object: T): T {
  // The result has the same fields.
  return wrapped(schema, '', object) as T;
}

function wrapped(schema: Schema, path: string, value: unknown): unknown {
  if (typeof value === 'number') return isInteger(schema) && integerType(path) === 'int32' ? toInt32(value) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const { items } = schema;
    return items ? value.map((item: unknown) => wrapped(items, path, item)) : value;
  }
  return Object.fromEntries(
    Object.entries(value).map(([field, item]: [string, unknown]) => {
      const known = fieldSchema(schema, field);
      return [field, known ? wrapped(known, `.${field}`, item) : item];
    }),
  );
}

function isInteger({ type }: Schema): boolean {
  return type === 'integer';
}

/** Go converts numbers beyond the 64-bit integers to the smallest one. */
function toInt32(value: number): number {
  if (!Number.isInteger(value) || Object.is(value | 0, value)) return value;
  return Math.abs(value) < INT64 ? Number(BigInt.asIntN(32, BigInt(value))) : 0;
}
