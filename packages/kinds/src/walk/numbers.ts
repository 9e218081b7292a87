import type * as core from 'zod/v4/core';
import type { StructuralSchema } from '../structural/structural-schema.ts';
import { checksOf, refuseCheck } from './checks.ts';
import type { SchemaPath } from './schema-path.ts';

interface Bound {
  readonly value: number;
  readonly inclusive: boolean;
}

/** Limits of the formats of zod. JSON has no other numbers than float64. */
const FORMATS: Readonly<
  Record<string, { readonly integer: boolean; readonly format?: string; readonly limit: readonly [number, number] }>
> = {
  safeint: { integer: true, format: 'int64', limit: [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER] },
  int32: { integer: true, format: 'int32', limit: [-(2 ** 31), 2 ** 31 - 1] },
  uint32: { integer: true, format: 'int64', limit: [0, 2 ** 32 - 1] },
  float64: { integer: false, format: 'double', limit: [-Number.MAX_VALUE, Number.MAX_VALUE] },
};

/** Translates `z.number()`, `z.int()`, `z.int32()` and other numbers. */
export function numberSchema(schema: core.$ZodNumber, at: SchemaPath): StructuralSchema {
  if (schema._zod.def.coerce) refuseCoercion(at, 'number');
  const result: StructuralSchema = { type: 'number' };
  const lower: Bound[] = [];
  const upper: Bound[] = [];
  for (const check of checksOf(schema, result, at)) {
    const { def } = check._zod;
    switch (def.check) {
      case 'number_format': {
        const known = FORMATS[def.format];
        if (def.format === 'float32')
          at.fail('z.float32() has limits that the server does not compare', 'use z.number()');
        if (!known) refuseCheck(check, at);
        if (known.integer) result.type = 'integer';
        if (known.format !== undefined) result.format = known.format;
        const [from, to] = known.limit;
        if (from === -Number.MAX_VALUE) break;
        lower.push({ value: from, inclusive: true });
        upper.push({ value: to, inclusive: true });
        break;
      }
      case 'greater_than':
        lower.push({ value: finite(def.value, at), inclusive: def.inclusive });
        break;
      case 'less_than':
        upper.push({ value: finite(def.value, at), inclusive: def.inclusive });
        break;
      case 'multiple_of':
        if (result.multipleOf !== undefined) {
          at.fail('.multipleOf() is used twice', 'use the least common multiple of both');
        }
        result.multipleOf = finite(def.value, at);
        break;
      default:
        refuseCheck(check, at);
    }
  }
  setBounds(result, lower, upper, at);
  checkMultiple(result, at);
  return result;
}

export function refuseCoercion(at: SchemaPath, type: string): never {
  return at.fail(
    `z.coerce.${type}() changes values, and the server does not`,
    `use z.${type}(), and convert the value in your code`,
  );
}

function finite(value: number | bigint | Date, at: SchemaPath): number {
  if (typeof value === 'number' && Math.abs(value) >= 2 ** 63 && Number.isFinite(value)) {
    at.fail(`the limit ${value} does not fit into 64 bits, in which the server compares integers`, 'remove it');
  }
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  return at.fail(`the limit ${String(value)} is not a finite number`, 'remove it, or use a number');
}

/**
 * Refuses a bound that would be wrong for integers among the numbers: the server compares them with the bound without its
 * fraction, so 0 is at least 0.5.
 */
function checkFraction(bound: Bound | undefined, direction: 1 | -1, at: SchemaPath): void {
  if (!bound || Number.isInteger(bound.value)) return;
  const isExact = bound.value * direction < 0 === bound.inclusive;
  if (isExact) return;
  at.fail(
    `the server compares integers with the limit ${bound.value} without its fraction`,
    `use a rule, .meta(k8s.cel({ rule: 'self ${direction === 1 ? '>' : '<'}${bound.inclusive ? '=' : ''} ${bound.value}' }))`,
  );
}

/** Sets the strictest bounds. Servers cut the fraction of the bounds of an integer, so these are rounded before. */
function setBounds(result: StructuralSchema, lower: readonly Bound[], upper: readonly Bound[], at: SchemaPath): void {
  const isInteger = result.type === 'integer';
  const least = strictest(
    lower.map((bound) => (isInteger ? rounded(bound, 1) : bound)),
    1,
  );
  checkFraction(least, 1, at);
  if (least) {
    result.minimum = least.value;
    if (!least.inclusive) result.exclusiveMinimum = true;
  }
  const most = strictest(
    upper.map((bound) => (isInteger ? rounded(bound, -1) : bound)),
    -1,
  );
  checkFraction(most, -1, at);
  if (most) {
    result.maximum = most.value;
    if (!most.inclusive) result.exclusiveMaximum = true;
  }
}

/** @param direction 1 for lower bounds, -1 for upper ones. */
function strictest(bounds: readonly Bound[], direction: 1 | -1): Bound | undefined {
  return [...bounds].sort(
    (left, right) => direction * (right.value - left.value) || Number(left.inclusive) - Number(right.inclusive),
  )[0];
}

function rounded({ value, inclusive }: Bound, direction: 1 | -1): Bound {
  if (!inclusive && Number.isInteger(value)) return { value: value + direction, inclusive: true };
  return { value: direction === 1 ? Math.ceil(value) : Math.floor(value), inclusive: true };
}

/** Servers compute with integers where the value is one. */
function checkMultiple({ type, multipleOf }: StructuralSchema, at: SchemaPath): void {
  if (multipleOf === undefined) return;
  if (type === 'integer' && Number.isSafeInteger(multipleOf) && multipleOf > 0) return;
  at.fail(
    `.multipleOf(${multipleOf}) is only exact for integers`,
    'use z.int().multipleOf() with a positive integer, in a smaller unit, for example millis',
  );
}
