import type * as core from 'zod/v4/core';
import type { StructuralSchema } from '../structural/structural-schema.ts';
import { itemSchema } from './arrays.ts';
import type { SchemaPath } from './schema-path.ts';
import type { Walk } from './walk.ts';

/** Translates `z.object()` and `z.looseObject()`. */
export function objectSchema(def: core.$ZodObjectDef, at: SchemaPath, walk: Walk): StructuralSchema {
  const shape = Object.entries(def.shape);
  const result: StructuralSchema = { type: 'object' };
  if (Object.hasOwn(def.shape, '__proto__')) {
    at.property('__proto__').fail('zod ignores a field of this name', 'rename the field');
  }
  if (shape.length > 0) {
    result.properties = Object.fromEntries(shape.map(([name, schema]) => [name, walk(schema, at.property(name))]));
    const required = shape.filter(([, schema]) => schema._zod.optin === undefined).map(([name]) => name);
    if (required.length > 0) result.required = required;
  }
  return { ...result, ...catchall(def, at, walk) };
}

function catchall({ catchall: rest, shape }: core.$ZodObjectDef, at: SchemaPath, walk: Walk): StructuralSchema {
  switch (rest?._zod.def.type) {
    case undefined:
      return {};
    case 'any':
    case 'unknown':
      return { 'x-kubernetes-preserve-unknown-fields': true };
    case 'never':
      return at.fail(
        'z.strictObject() has no structural schema: the server drops unknown fields',
        'use z.object(), and fieldValidation: "Strict" on the client to refuse unknown fields',
      );
    default:
      if (Object.keys(shape).length > 0) {
        at.fail(
          '.catchall() beside other fields has no structural schema',
          'move the other fields to a field of their own, z.record(z.string(), value)',
        );
      }
      return { additionalProperties: itemSchema(rest as core.$ZodType, at.values(), walk) };
  }
}

/** Translates `z.record()`. */
export function recordSchema(def: core.$ZodRecordDef, at: SchemaPath, walk: Walk): StructuralSchema {
  const key = def.keyType._zod.def as core.$ZodTypeDef & { readonly coerce?: boolean };
  if (key.type === 'enum' || key.type === 'literal') {
    at.fail('a record with listed keys is an object', 'use z.object() with these fields');
  }
  if (key.type !== 'string' || key.coerce) {
    at.fail(`keys of type ${key.type} have no structural schema`, 'use z.string() for the keys');
  }
  if ('check' in key || (key.checks ?? []).length > 0) {
    at.fail(
      'rules for the keys of a record have no structural schema',
      'use z.string() for the keys, and a rule: k8s.cel({ rule: "self.all(key, key.matches(...))" })',
    );
  }
  return { type: 'object', additionalProperties: itemSchema(def.valueType, at.values(), walk) };
}
