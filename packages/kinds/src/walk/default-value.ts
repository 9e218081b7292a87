import { isDeepStrictEqual } from 'node:util';
import type * as core from 'zod/v4/core';
import * as z from 'zod';
import type { SchemaPath } from './schema-path.ts';

/**
 * Returns the default of a schema, as the server applies it: it adds the defaults of fields inside of the value.
 *
 * @throws {SchemaError} for a default that differs from call to call, is not JSON, or does not match the schema.
 */
export function defaultOf(def: core.$ZodDefaultDef | core.$ZodPrefaultDef, at: SchemaPath): unknown {
  const method = `.${def.type}()`;
  const value: unknown = def.defaultValue;
  if (
    !isDeepStrictEqual(
      value,
      atAnotherTime(() => def.defaultValue),
    )
  ) {
    at.fail(`${method} returns another value each time`, 'use a constant, and set other values in your code');
  }
  if (value === null) {
    at.fail(`${method} with null is ignored by the server`, 'use .nullable().optional() without a default');
  }
  if (value === undefined || !isDeepStrictEqual(toJson(value), value)) {
    at.fail(`${method} has a value that is not JSON`, 'use strings, finite numbers, booleans, lists and plain objects');
  }
  const parsed = z.safeParse(def.innerType, value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    at.fail(`${method} does not match the schema (${issue?.message ?? ''})`, 'correct the default');
  }
  if (!contains(parsed.data, value)) at.fail(`${method} has fields that the schema does not have`, 'remove them');
  if (def.type === 'default' && !isDeepStrictEqual(parsed.data, value)) {
    at.fail(
      '.default() lacks the defaults of its own fields, which the server adds and zod does not',
      'use .prefault(), or write the whole value',
    );
  }
  // The author may change the value later.
  return structuredClone(value);
}

function toJson(value: unknown): unknown {
  try {
    const text = JSON.stringify(value) as string | undefined;
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Differs from now in the year and in every smaller unit. */
const LATER = 34_304_661_001;

/**
 * Calls a function that may use the clock, with another time. zod has constants and functions behind the same getter, and two calls
 * within a millisecond, or a year, can return the same, so that only another time shows that a default depends on it. `work` is
 * synchronous: no other code runs while the clock is replaced.
 */
function atAnotherTime<Value>(work: () => Value): Value {
  const { Date: real } = globalThis;
  const now = () => real.now() + LATER;
  try {
    globalThis.Date = new Proxy(real, {
      apply: () => new real(now()).toString(),
      construct: (target, args: unknown[], newTarget) =>
        Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget) as Date,
      get: (target, name, receiver) => (name === 'now' ? now : (Reflect.get(target, name, receiver) as unknown)),
    });
    return work();
  } finally {
    globalThis.Date = real;
  }
}

/** Reports whether `whole` has every field of `part`. */
function contains(whole: unknown, part: unknown): boolean {
  if (typeof part !== 'object' || part === null) return true;
  return Object.entries(part).every(
    ([key, value]) =>
      Object.hasOwn(Object(whole) as object, key) &&
      contains((Object(whole) as Readonly<Record<string, unknown>>)[key], value),
  );
}
