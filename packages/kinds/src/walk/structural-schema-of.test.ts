import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import * as mini from 'zod/mini';
import { k8s } from '../index.ts';
import { structuralSchemaOf } from './structural-schema-of.ts';

/** @param schema also one of zod/mini, whose classes have no common type with the others. */
const schemaOf = (schema: z.core.$ZodType) =>
  structuralSchemaOf(schema as z.ZodType, 'spec', { subject: 'kind Thing', refinements: 'refuse' });

const SAFE = { type: 'integer', format: 'int64', minimum: -9007199254740991, maximum: 9007199254740991 };
const INT32 = { type: 'integer', format: 'int32', minimum: -2147483648, maximum: 2147483647 };

describe('KS-1: structural schemas', () => {
  it.each<[title: string, schema: z.core.$ZodType, expected: object]>([
    ['strings', z.string().min(2).min(1).max(3).max(4), { type: 'string', minLength: 2, maxLength: 3 }],
    ['lengths', z.string().length(2), { type: 'string', minLength: 2, maxLength: 2 }],
    ['integers', z.int(), SAFE],
    ['32-bit integers', z.int32().gt(1.5).lt(9), { ...INT32, minimum: 2, maximum: 8 }],
    ['unsigned integers', z.uint32(), { ...SAFE, minimum: 0, maximum: 4294967295 }],
    ['multiples', z.int32().min(0).multipleOf(5), { ...INT32, minimum: 0, multipleOf: 5 }],
    ['numbers', z.number().gt(0).min(0).max(2), { type: 'number', minimum: 0, exclusiveMinimum: true, maximum: 2 }],
    ['doubles', z.float64(), { type: 'number', format: 'double' }],
    ['booleans', z.boolean().describe('Whether.'), { type: 'boolean', description: 'Whether.' }],
    ['enums', z.enum(['a', 'b']), { type: 'string', enum: ['a', 'b'] }],
    ['literals', z.literal([1, 2]), { type: 'integer', enum: [1, 2] }],
    ['formats', z.uuidv4(), { type: 'string', pattern: expect.stringContaining('-4[0-9A-Fa-f]{3}-') }],
    ['prefixes', z.string().startsWith('a.'), { type: 'string', pattern: '^a\\.' }],
    ['suffixes', z.string().endsWith('/b'), { type: 'string', pattern: '/b$' }],
    ['template literals', z.templateLiteral(['a', z.int()]), { type: 'string', pattern: '^a-?\\d+$' }],
    [
      'lists',
      z.array(z.boolean()).min(1).max(3),
      { type: 'array', items: { type: 'boolean' }, minItems: 1, maxItems: 3 },
    ],
    ['maps', z.record(z.string(), z.boolean()), { type: 'object', additionalProperties: { type: 'boolean' } }],
    [
      'limited maps',
      k8s.mapOf(z.boolean(), { min: 1, max: 2 }),
      { type: 'object', additionalProperties: { type: 'boolean' }, minProperties: 1, maxProperties: 2 },
    ],
    ['catchalls', z.object({}).catchall(z.boolean()), { type: 'object', additionalProperties: { type: 'boolean' } }],
    ['loose objects', z.looseObject({}), { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }],
    ['defaults', z.string().default('a').readonly(), { type: 'string', default: 'a' }],
    ['schemas that are created late', z.lazy(() => z.boolean()), { type: 'boolean' }],
    ['schemas of zod/mini', mini.string().check(mini.maxLength(2)), { type: 'string', maxLength: 2 }],
    [
      'objects',
      z.object({
        a: z.boolean(),
        b: z.boolean().optional(),
        c: z.object({ d: z.boolean().default(true) }).prefault({}),
      }),
      {
        type: 'object',
        properties: {
          a: { type: 'boolean' },
          b: { type: 'boolean' },
          c: { type: 'object', properties: { d: { type: 'boolean', default: true } }, default: {} },
        },
        required: ['a'],
      },
    ],
    [
      'list maps',
      k8s.listMap(z.object({ a: z.string() }), ['a']),
      {
        type: 'array',
        items: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['a'],
      },
    ],
    [
      'durations',
      k8s.duration(),
      { minItems: 1, maxItems: 0, type: 'string', format: 'duration', maxLength: 64, pattern: expect.any(String) },
    ],
  ])('KS-1: translates %s', (_title, schema, expected) => {
    expect(schemaOf(schema)).toEqual(expected);
  });

  it.each<[title: string, schema: z.core.$ZodType, expected: object]>([
    [
      'integers or strings',
      k8s.intOrString(),
      { ...INT32, type: undefined, format: undefined, 'x-kubernetes-int-or-string': true },
    ],
    [
      'integers or texts',
      z.union([z.literal(['auto', 'a.b']), z.int32().min(1)]),
      { 'x-kubernetes-int-or-string': true, minimum: 1, maximum: 2147483647, pattern: '^(?:auto|a\\.b)$' },
    ],
    [
      'several patterns',
      z.string().regex(/^a/).regex(/b$/).includes('c'),
      { type: 'string', pattern: '^a', allOf: [{ pattern: 'b$' }, { pattern: 'c' }] },
    ],
    ['any value', z.any(), { 'x-kubernetes-preserve-unknown-fields': true, nullable: true }],
    ['a nullable enum', z.enum(['a']).nullable(), { type: 'string', allOf: [{ enum: ['a'] }], nullable: true }],
    [
      'a union with null',
      z.union([z.literal('a'), z.null()]),
      { type: 'string', allOf: [{ enum: ['a'] }], nullable: true },
    ],
    [
      'a union with a nullable enum',
      z.union([z.enum(['a']).nullable(), z.int32().min(0)]),
      { 'x-kubernetes-int-or-string': true, minimum: 0, maximum: 2147483647, pattern: '^(?:a)$', nullable: true },
    ],
    ['a union of literals', z.union([z.literal('a'), z.enum(['b', 'a'])]), { type: 'string', enum: ['a', 'b'] }],
    [
      'a union of strings',
      z.union([z.string().max(2), z.literal('auto')]),
      { type: 'string', anyOf: [{ maxLength: 2 }, { enum: ['auto'] }] },
    ],
    ['a union with a type that has no rules', z.union([z.string(), z.literal('auto')]), { type: 'string' }],
  ])('KS-2: translates %s', (_title, schema, expected) => {
    expect(JSON.parse(JSON.stringify(schemaOf(schema)))).toEqual(JSON.parse(JSON.stringify(expected)));
  });

  it('KS-2: keeps the rules of every call of meta, and those inside of a wrapper', () => {
    const schema = z
      .object({})
      .meta(k8s.cel({ rule: '1' }))
      .meta(k8s.cel({ rule: '2' }))
      .optional()
      .meta(k8s.cel({ rule: '3' }));
    expect(schemaOf(schema)['x-kubernetes-validations']).toEqual([{ rule: '1' }, { rule: '2' }, { rule: '3' }]);
  });

  it('KS-2: leaves refinements to a webhook if the kind says so', () => {
    const schema = z
      .string()
      .max(3)
      .refine((text) => text !== 'no');
    const options = { subject: 'kind Thing', refinements: 'webhook' } as const;
    expect(structuralSchemaOf(schema, 'spec', options)).toEqual({ type: 'string', maxLength: 3 });
  });
});
