import type * as core from 'zod/v4/core';
import * as z from 'zod';
import type { StructuralSchema } from '../structural/structural-schema.ts';
import { arraySchema } from './arrays.ts';
import { checksOf, refuseCheck } from './checks.ts';
import { defaultOf } from './default-value.ts';
import { checkExtensions } from './extension-types.ts';
import { metadataOf, withMetadata } from './metadata.ts';
import { numberSchema, refuseCoercion } from './numbers.ts';
import { objectSchema, recordSchema } from './objects.ts';
import type { TranslationOptions } from './schema-path.ts';
import { SchemaPath } from './schema-path.ts';
import { REFUSED_TYPES } from './refused.ts';
import { withServerKeywords } from './server-keywords.ts';
import { stringSchema, translated } from './strings.ts';
import { unionSchema } from './unions.ts';
import { withNull, valuesSchema } from './values.ts';

/**
 * Translates a zod schema to a structural schema.
 *
 * @param path path of the field in errors, such as `spec`.
 * @throws {SchemaError} for a part that the server cannot check in the same way. The error says what to write instead.
 */
export function structuralSchemaOf(schema: z.ZodType, path: string, options: TranslationOptions): StructuralSchema {
  return walk(schema, SchemaPath.root(path, options));
}

function walk(schema: core.$ZodType, outer: SchemaPath): StructuralSchema {
  // JavaScript programs, and casts, can have anything here. zod does not check it.
  if ((schema as Partial<core.$ZodType> | undefined)?._zod === undefined) {
    const called = typeof schema === 'function';
    outer.fail(
      `expected a zod schema, found ${called ? 'a function' : typeof schema}`,
      called ? 'call it' : 'use a schema',
    );
  }
  const at = outer.inside(schema);
  // The classes of zod declare their common base only. `type` tells which one it is.
  const known = schema as core.$ZodTypes;
  const result = withServerKeywords(translate(known, at), schema);
  const metadata = metadataOf(schema, at);
  checkExtensions(result, metadata, at);
  return withMetadata(result, metadata);
}

function translate(schema: core.$ZodTypes, at: SchemaPath): StructuralSchema {
  const { def } = schema._zod;
  switch (def.type) {
    case 'string':
      return stringSchema(schema as core.$ZodString, at);
    case 'number':
      return numberSchema(schema as core.$ZodNumber, at);
    case 'boolean':
      if (def.coerce) refuseCoercion(at, 'boolean');
      return checked(schema, { type: 'boolean' }, at);
    case 'any':
    case 'unknown':
      return checked(schema, { 'x-kubernetes-preserve-unknown-fields': true, nullable: true }, at);
    case 'object':
      return checked(schema, objectSchema(def, at, walk), at);
    case 'record':
      return checked(schema, recordSchema(def, at, walk), at);
    case 'array':
      return arraySchema(schema as core.$ZodArray, at, walk);
    case 'enum':
      return checked(schema, valuesSchema(z.core.util.getEnumValues(def.entries), at), at);
    case 'literal':
      return checked(schema, valuesSchema(def.values, at), at);
    case 'template_literal':
      return checked(schema, { type: 'string', pattern: templatePattern(schema, at) }, at);
    case 'union':
      return checked(schema, unionSchema(def, at, walk), at);
    case 'nullable':
      return checked(schema, withNull(walk(def.innerType, at)), at);
    case 'nonoptional':
      return checked(schema, required(walk(def.innerType, at), at), at);
    case 'optional':
    case 'readonly':
      return checked(schema, walk(def.innerType, at), at);
    case 'default':
    case 'prefault':
      return checked(schema, { ...walk(def.innerType, at), default: defaultOf(def, at) }, at);
    case 'lazy':
      return checked(schema, walk(def.getter(), at), at);
    default: {
      const [problem, remedy] = REFUSED_TYPES[def.type] ?? [
        `the type ${def.type} is not supported`,
        'use another type',
      ];
      return at.fail(problem, remedy);
    }
  }
}

function templatePattern(schema: core.$ZodType, at: SchemaPath): string {
  const { pattern } = schema._zod as { readonly pattern?: RegExp };
  if (!pattern) at.fail('the template has no pattern', 'use z.string().regex()');
  return translated(pattern, at);
}

function required(inner: StructuralSchema, at: SchemaPath): StructuralSchema {
  if (inner.default === undefined) return inner;
  return at.fail('.nonoptional() demands a field that the server sets to its default', 'remove it, or the default');
}

/** Refuses checks of a type that has none on the server. Refinements have their own rule. */
function checked(schema: core.$ZodType, result: StructuralSchema, at: SchemaPath): StructuralSchema {
  for (const check of checksOf(schema, result, at)) refuseCheck(check, at);
  return result;
}
