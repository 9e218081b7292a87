import type { CelRule } from '@mcr/client';
import { isDeepStrictEqual } from 'node:util';
import type * as core from 'zod/v4/core';
import type { StructuralSchema } from '../structural/structural-schema.ts';
import { propertyOf } from '../structural/property-of.ts';
import { celField, celText } from './cel-text.ts';
import type { SchemaPath } from './schema-path.ts';
import type { Walk } from './walk.ts';

interface Option {
  /** The values of the discriminator. */
  readonly values: readonly unknown[];
  readonly properties: Record<string, StructuralSchema>;
  readonly required: readonly string[];
  readonly rules: readonly CelRule[];
}

/**
 * Translates `z.discriminatedUnion()`: one object with the fields of all options, and rules that say which fields belong
 * to which value of the discriminator.
 */
export function discriminatedSchema(
  schemas: readonly core.$ZodType[],
  discriminator: string,
  at: SchemaPath,
  walk: Walk,
): StructuralSchema {
  const options = schemas.map((schema) => optionOf(walk(schema, at), discriminator, at));
  const values = options.flatMap((option) => option.values);
  const merged = new Map<string, StructuralSchema>();
  for (const option of options) {
    for (const [name, property] of Object.entries(option.properties)) {
      if (name === discriminator) continue;
      const known = merged.get(name);
      if (known && !isDeepStrictEqual(known, property)) {
        at.property(name).fail(
          'the field differs between options of the union',
          'use the same schema in every option, or another name',
        );
      }
      const isShared = options.every((other) => Object.hasOwn(other.properties, name));
      if (property.default !== undefined && !isShared) {
        at.property(name).fail(
          'the server would set this default for every option of the union',
          'remove the default, or add the field to every option',
        );
      }
      merged.set(name, property);
    }
  }
  const properties = Object.fromEntries(merged);
  const [first] = options;
  const type = first && propertyOf({ properties: first.properties }, discriminator)?.type;
  if (
    options.some((option) => propertyOf({ properties: option.properties }, discriminator)?.type !== type) ||
    type === undefined
  ) {
    return at.property(discriminator).fail('the discriminator has values of several types', 'use strings only');
  }
  const required = Object.keys(properties).filter((name) => options.every((option) => option.required.includes(name)));
  return {
    type: 'object',
    properties: { [discriminator]: { type, enum: values }, ...properties },
    required: [discriminator, ...required],
    'x-kubernetes-validations': rulesOf(options, discriminator, Object.keys(properties), required, at),
  };
}

function optionOf(schema: StructuralSchema, discriminator: string, at: SchemaPath): Option {
  const {
    type,
    properties = {},
    required = [],
    title: _,
    description: __,
    'x-kubernetes-validations': rules = [],
    ...others
  } = schema;
  const [other] = Object.keys(others);
  if (type !== 'object' || other !== undefined) {
    at.fail(
      `an option of the union has ${other ?? `the type ${type ?? 'any'}`}, which cannot be merged`,
      'use z.object() for every option, and no unions inside of them',
    );
  }
  const values = propertyOf({ properties }, discriminator)?.enum;
  if (!values || values.includes(null) || !required.includes(discriminator)) {
    return at.property(discriminator).fail('the discriminator is not a literal', 'use z.literal() in every option');
  }
  return { values, properties, required, rules };
}

function rulesOf(
  options: readonly Option[],
  discriminator: string,
  names: readonly string[],
  alwaysRequired: readonly string[],
  at: SchemaPath,
): CelRule[] {
  const rules: CelRule[] = [];
  for (const { values, properties, required, rules: own } of options) {
    const field = `self.${celField(discriminator, at.property(discriminator))}`;
    const texts = values.map(celText);
    const applies = texts.length === 1 ? `${field} == ${texts.join('')}` : `${field} in [${texts.join(', ')}]`;
    const label = `${discriminator} is ${values.map(String).join(' or ')}`;
    for (const name of names) {
      const has = `has(self.${celField(name, at.property(name))})`;
      if (!Object.hasOwn(properties, name)) {
        rules.push({ rule: `!(${applies}) || !${has}`, message: `${name} is not allowed if ${label}` });
      } else if (required.includes(name) && !alwaysRequired.includes(name)) {
        rules.push({ rule: `!(${applies}) || ${has}`, message: `${name} is required if ${label}` });
      }
    }
    for (const rule of own) rules.push({ ...rule, rule: `!(${applies}) || (${rule.rule})` });
  }
  return rules;
}
