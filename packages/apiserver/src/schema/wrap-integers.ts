import type { Paused, Turn } from '../turn.ts';
import { integerOf, withoutNegativeZero } from './exact-integers.ts';
import { integerType } from './integer-range.ts';
import type { Schema } from './schema.ts';
import { fieldSchema } from './schema.ts';
import { setField } from './set-field.ts';

const INT64 = 2 ** 63;

/**
 * Returns an object whose integers are those that Go converts larger numbers to: 32-bit integers keep the lowest bits, and 64-bit
 * integers become the smallest one. A real server converts so after an apply and a strategic merge, and refuses such numbers in
 * other requests.
 */
export function* wrappingIntegers<T>(schema: Schema, object: T, turn: Turn): Paused<T> {
  // The result has the same fields.
  return (yield* wrapped(schema, '', object, turn)) as T;
}

function* wrapped(schema: Schema, path: string, value: unknown, turn: Turn): Paused<unknown> {
  if (typeof value === 'number' && isInteger(schema))
    return integerType(path) === 'int32' ? toInt32(value) : toInt64(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const { items } = schema;
    if (!items) return value as unknown[];
    const wrappedItems: unknown[] = [];
    for (const item of value) {
      if (turn.step()) yield* turn.pause();
      wrappedItems.push(yield* wrapped(items, path, item, turn));
    }
    return wrappedItems;
  }
  const result: Record<string, unknown> = {};
  for (const field of Object.keys(value)) {
    if (turn.step()) yield* turn.pause();
    const item = (value as Readonly<Record<string, unknown>>)[field];
    const known = fieldSchema(schema, field);
    setField(result, field, known ? yield* wrapped(known, `.${field}`, item, turn) : item);
  }
  return result;
}

function isInteger({ type }: Schema): boolean {
  return type === 'integer';
}

function toInt64(value: number): number {
  if (Math.abs(value) >= INT64) return -INT64;
  return withoutNegativeZero(value);
}

function toInt32(value: number): number {
  if (!Number.isInteger(value)) return value;
  if ((value | 0) === value) return withoutNegativeZero(value);
  return Math.abs(value) < INT64 ? Number(BigInt.asIntN(32, integerOf(value))) : 0;
}
