import { isDeepStrictEqual } from 'node:util';
import type * as core from 'zod/v4/core';
import type { StructuralSchema } from '../structural/structural-schema.ts';
import { discriminatedSchema } from './discriminated.ts';
import { textPattern } from './literal-pattern.ts';
import type { SchemaPath } from './schema-path.ts';
import { setPatterns } from './strings.ts';
import type { Walk } from './walk.ts';
import { withNull, withoutNull } from './values.ts';

/** Translates `z.union()` and `z.discriminatedUnion()`, as far as one structural schema can hold all options. */
export function unionSchema(def: core.$ZodUnionDef, at: SchemaPath, walk: Walk): StructuralSchema {
  const { discriminator, inclusive } = def as core.$ZodUnionDef & { discriminator?: string; inclusive?: boolean };
  const options = def.options;
  if (discriminator !== undefined) return discriminatedSchema(options, discriminator, at, walk);
  if (inclusive === false) {
    at.fail('z.xor() has no structural schema', 'use z.union(), or z.discriminatedUnion()');
  }
  const others = options.filter((option) => !isNull(option));
  const isNullable = others.length < options.length;
  const union = merge(
    others.map((option) => walk(option, at)),
    at,
  );
  return isNullable ? withNull(union) : union;
}

function isNull(option: core.$ZodType): boolean {
  return option._zod.def.type === 'null';
}

function merge(options: readonly StructuralSchema[], at: SchemaPath): StructuralSchema {
  const [first, second] = options;
  if (!first) at.fail('the union has no option', 'use .nullable() on another type');
  if (!second) return first;
  const nullable = options.some((option) => option.nullable);
  const bare = options.map((option) => bareOption(option, at));
  const types = new Set(bare.map(({ type }) => type));
  const [type] = types;
  if (types.size === 1 && type !== undefined && type !== 'object' && type !== 'array') {
    return nullableIf(nullable, sameType(type, bare));
  }
  const intOrString = intOrStringSchema(bare, at);
  if (intOrString) return nullableIf(nullable, intOrString);
  const found = bare.map((option) => option.type ?? 'any').join(', ');
  return at.fail(
    `a union of ${found} has no structural schema`,
    'use z.discriminatedUnion() for objects, z.union([z.int32(), z.string()]) for numbers and texts, or k8s.raw()',
  );
}

function nullableIf(condition: boolean, schema: StructuralSchema): StructuralSchema {
  return condition ? withNull(schema) : schema;
}

/** Removes what structural schemas do not allow in an option: documentation is lost, and everything else is refused. */
function bareOption(option: StructuralSchema, at: SchemaPath): StructuralSchema {
  const { title: _, description: __, ...rest } = withoutNull(option);
  for (const key of ['default', 'x-kubernetes-validations'] as const) {
    if (rest[key] !== undefined) {
      at.fail(`an option of a union has ${key === 'default' ? 'a default' : 'rules'}`, 'move it to the union');
    }
  }
  return rest;
}

function sameType(type: NonNullable<StructuralSchema['type']>, options: readonly StructuralSchema[]): StructuralSchema {
  const rules = options.map(({ type: _, ...rest }) => rest);
  if (rules.some((rule) => Object.keys(rule).length === 0)) return { type };
  if (rules.every((rule) => rule.enum && Object.keys(rule).length === 1)) {
    return { type, enum: [...new Set(rules.flatMap((rule) => rule.enum ?? []))] };
  }
  const distinct = rules.filter((rule, index) => rules.findIndex((other) => isDeepStrictEqual(rule, other)) === index);
  return { type, anyOf: distinct };
}

/** The bounds of numbers apply to numbers only, and those of strings to strings, so one schema can have both. */
function intOrStringSchema(options: readonly StructuralSchema[], at: SchemaPath): StructuralSchema | undefined {
  const [number, text, ...others] = [...options].sort((left, right) => order(left) - order(right));
  if (others.length > 0 || number?.type !== 'integer' || text?.type !== 'string') return undefined;
  if (number.enum || number.anyOf || text.anyOf) return undefined;
  const { type: _, format: __, ...bounds } = number;
  const { type: ___, format: ____, enum: values, pattern, allOf = [], ...lengths } = text;
  const result: StructuralSchema = { 'x-kubernetes-int-or-string': true, ...bounds, ...lengths };
  const patterns = [pattern, ...allOf.map((each) => each.pattern), values && textPattern(values, at)];
  setPatterns(
    result,
    patterns.filter((each) => each !== undefined),
  );
  return result;
}

function order({ type }: StructuralSchema): number {
  return type === 'integer' ? 0 : 1;
}
