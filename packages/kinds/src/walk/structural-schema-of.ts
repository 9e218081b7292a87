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
import type { WalkOptions } from './place.ts';
import { Place } from './place.ts';
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
export function structuralSchemaOf(schema: z.ZodType, path: string, options: WalkOptions): StructuralSchema {
  return walk(schema, Place.root(path, options));
}

function walk(schema: core.$ZodType, outer: Place): StructuralSchema {
  // JavaScript programs, and casts, can have anything here. zod does not check it.
  if ((schema as Partial<core.$ZodType> | undefined)?._zod === undefined) {
    const called = typeof schema === 'function';
    outer.fail(
      `expected a zod schema, found ${called ? 'a function' : typeof schema}`,
      called ? 'call it' : 'use a schema',
    );
  }
  const place = outer.inside(schema);
  // The classes of zod declare their common base only. `type` tells which one it is.
  const known = schema as core.$ZodTypes;
  const result = withServerKeywords(translate(known, place), schema);
  const metadata = metadataOf(schema, place);
  checkExtensions(result, metadata, place);
  return withMetadata(result, metadata);
}

function translate(schema: core.$ZodTypes, place: Place): StructuralSchema {
  const { def } = schema._zod;
  switch (def.type) {
    case 'string':
      return stringSchema(schema as core.$ZodString, place);
    case 'number':
      return numberSchema(schema as core.$ZodNumber, place);
    case 'boolean':
      if (def.coerce) refuseCoercion(place, 'boolean');
      return checked(schema, { type: 'boolean' }, place);
    case 'any':
    case 'unknown':
      return checked(schema, { 'x-kubernetes-preserve-unknown-fields': true, nullable: true }, place);
    case 'object':
      return checked(schema, objectSchema(def, place, walk), place);
    case 'record':
      return checked(schema, recordSchema(def, place, walk), place);
    case 'array':
      return arraySchema(schema as core.$ZodArray, place, walk);
    case 'enum':
      return checked(schema, valuesSchema(z.core.util.getEnumValues(def.entries), place), place);
    case 'literal':
      return checked(schema, valuesSchema(def.values, place), place);
    case 'template_literal':
      return checked(schema, { type: 'string', pattern: templatePattern(schema, place) }, place);
    case 'union':
      return checked(schema, unionSchema(def, place, walk), place);
    case 'nullable':
      return checked(schema, withNull(walk(def.innerType, place)), place);
    case 'nonoptional':
      return checked(schema, required(walk(def.innerType, place), place), place);
    case 'optional':
    case 'readonly':
      return checked(schema, walk(def.innerType, place), place);
    case 'default':
    case 'prefault':
      return checked(schema, { ...walk(def.innerType, place), default: defaultOf(def, place) }, place);
    case 'lazy':
      return checked(schema, walk(def.getter(), place), place);
    default: {
      const [problem, remedy] = REFUSED_TYPES[def.type] ?? [
        `the type ${def.type} is not supported`,
        'use another type',
      ];
      return place.fail(problem, remedy);
    }
  }
}

function templatePattern(schema: core.$ZodType, place: Place): string {
  const { pattern } = schema._zod as { readonly pattern?: RegExp };
  if (!pattern) place.fail('the template has no pattern', 'use z.string().regex()');
  return translated(pattern, place);
}

function required(inner: StructuralSchema, place: Place): StructuralSchema {
  if (inner.default === undefined) return inner;
  return place.fail('.nonoptional() demands a field that the server sets to its default', 'remove it, or the default');
}

/** Refuses checks of a type that has none on the server. Refinements have their own rule. */
function checked(schema: core.$ZodType, result: StructuralSchema, place: Place): StructuralSchema {
  for (const check of checksOf(schema, result, place)) refuseCheck(check, place);
  return result;
}
