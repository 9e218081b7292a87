import type { CelRule } from '@mcr/client';
import type * as core from 'zod/v4/core';
import * as z from 'zod';
import type { StructuralSchema } from '../structural/structural-schema.ts';
import { withExamples } from '../structural/examples.ts';
import type { SchemaPath } from './schema-path.ts';

export const ruleSchema = z.strictObject({
  rule: z.string().min(1).max(10_000),
  message: z.string().min(1).max(2048).optional(),
  messageExpression: z.string().min(1).max(10_000).optional(),
  reason: z.enum(['FieldValueInvalid', 'FieldValueForbidden', 'FieldValueRequired', 'FieldValueDuplicate']).optional(),
  fieldPath: z.string().min(1).max(1000).optional(),
  optionalOldSelf: z.boolean().optional(),
});

/** Schemas of the keys of `.meta()` that get into the CustomResourceDefinition. */
const TRANSLATED = {
  title: z.string(),
  description: z.string(),
  'x-kubernetes-validations': z.array(ruleSchema).min(1).max(100),
  'x-kubernetes-list-type': z.enum(['atomic', 'set', 'map']),
  'x-kubernetes-list-map-keys': z.array(z.string()).min(1),
  'x-kubernetes-map-type': z.enum(['atomic', 'granular']),
  'x-kubernetes-int-or-string': z.literal(true),
  'x-kubernetes-preserve-unknown-fields': z.literal(true),
  'x-kubernetes-embedded-resource': z.literal(true),
} as const;

/** Keywords of JSON Schema that restrict values. zod would not check them. */
const KEYWORDS: ReadonlySet<string> = new Set(
  (
    '$ref additionalItems additionalProperties allOf anyOf const contains default dependencies enum exclusiveMaximum ' +
    'exclusiveMinimum format items maxItems maxLength maxProperties maximum minItems minLength minProperties minimum ' +
    'multipleOf not nullable oneOf pattern patternProperties properties propertyNames required type uniqueItems'
  ).split(' '),
);

/**
 * Returns what `.meta()` and `.describe()` of a schema say to Kubernetes. Other keys belong to the author and are left out.
 *
 * @throws {SchemaError} for keys that look as if they restrict values.
 */
export function metadataOf(schema: core.$ZodType, at: SchemaPath): StructuralSchema {
  const result: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(z.globalRegistry.get(schema) ?? {})) {
    if (value === undefined) continue;
    if (KEYWORDS.has(key)) {
      at.fail(`.meta({ ${key} }) restricts nothing in zod`, 'use the method of zod, such as .regex() for pattern');
    }
    if (Object.hasOwn(TRANSLATED, key)) {
      const { error } = TRANSLATED[key as keyof typeof TRANSLATED].safeParse(value);
      if (error) at.fail(`.meta({ ${JSON.stringify(key)} }) is invalid`, error.issues[0]?.message ?? 'correct it');
      result[key] = value;
    } else if (key.startsWith('x-kubernetes-')) {
      at.fail(`.meta({ ${JSON.stringify(key)} }) is not an extension of Kubernetes`, 'correct its name');
    }
  }
  const rules = rulesOf(schema);
  if (rules.length > 0) result['x-kubernetes-validations'] = rules;
  const { examples } = z.globalRegistry.get(schema) ?? {};
  if (examples === undefined) return result;
  if (!Array.isArray(examples) || examples.length === 0) {
    at.fail('.meta({ examples }) is not a list of values', 'pass a list with at least one value');
  }
  return withExamples(result, examples);
}

/** Returns the rules of all calls of `.meta()`: a later call replaces the rules of an earlier one in zod. */
function rulesOf(schema: core.$ZodType): CelRule[] {
  const lists: (readonly CelRule[])[] = [];
  for (let each: core.$ZodType | undefined = schema; each; each = each._zod.parent) {
    const rules = z.globalRegistry.get(each)?.['x-kubernetes-validations'] as readonly CelRule[] | undefined;
    if (rules && !lists.includes(rules)) lists.unshift(rules);
  }
  return lists.flat();
}

/** Adds metadata to a schema. Its rules come after those that the schema has. */
export function withMetadata(schema: StructuralSchema, metadata: StructuralSchema): StructuralSchema {
  const rules = [...(schema['x-kubernetes-validations'] ?? []), ...(metadata['x-kubernetes-validations'] ?? [])];
  return { ...schema, ...metadata, ...(rules.length > 0 && { 'x-kubernetes-validations': rules }) };
}
