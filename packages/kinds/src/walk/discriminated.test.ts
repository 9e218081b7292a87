import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { k8s } from '../index.ts';
import { structuralSchemaOf } from './structural-schema-of.ts';

const schemaOf = (schema: z.ZodType) =>
  structuralSchemaOf(schema, 'spec', { subject: 'kind Thing', refinements: 'refuse' });

describe('names of fields in a union', () => {
  it.each(['constructor', 'toString', 'hasOwnProperty'])('KS-2: allows the field %s in one option', (name) => {
    const options = [
      z.object({ type: z.literal('a'), [name]: z.string() }),
      z.object({ type: z.literal('b') }),
    ] as const;
    const schema = schemaOf(z.discriminatedUnion('type', options));
    expect(Object.keys(schema.properties ?? {})).toEqual(['type', name]);
  });
});

describe('KS-2: discriminated unions', () => {
  it('KS-2: translates a discriminated union to merged properties and rules', () => {
    const union = z.discriminatedUnion('type', [
      z.object({ type: z.literal('file'), path: z.string(), owner: z.string() }),
      z
        .object({
          type: z.enum(['http', 'https']),
          'host-name': z.string(),
          owner: z.string(),
          retries: z.int32().optional(),
        })
        .meta(k8s.cel({ rule: 'self.owner != "root"' })),
    ]);
    expect(schemaOf(union)).toEqual({
      type: 'object',
      properties: {
        type: { type: 'string', enum: ['file', 'http', 'https'] },
        path: { type: 'string' },
        owner: { type: 'string' },
        'host-name': { type: 'string' },
        retries: { type: 'integer', format: 'int32', minimum: -2147483648, maximum: 2147483647 },
      },
      required: ['type', 'owner'],
      'x-kubernetes-validations': [
        { rule: '!(self.type == "file") || has(self.path)', message: 'path is required if type is file' },
        {
          rule: '!(self.type == "file") || !has(self.host__dash__name)',
          message: 'host-name is not allowed if type is file',
        },
        { rule: '!(self.type == "file") || !has(self.retries)', message: 'retries is not allowed if type is file' },
        {
          rule: '!(self.type in ["http", "https"]) || !has(self.path)',
          message: 'path is not allowed if type is http or https',
        },
        {
          rule: '!(self.type in ["http", "https"]) || has(self.host__dash__name)',
          message: 'host-name is required if type is http or https',
        },
        { rule: '!(self.type in ["http", "https"]) || (self.owner != "root")' },
      ],
    });
  });

  it.each<[title: string, options: [z.core.$ZodTypeDiscriminable, z.core.$ZodTypeDiscriminable], problem: string]>([
    [
      'whose options have different schemas of a field',
      [z.object({ type: z.literal('a'), size: z.string() }), z.object({ type: z.literal('b'), size: z.int() })],
      'spec.size: the field differs between options of the union: use the same schema in every option, or another name',
    ],
    [
      'with a default in one option',
      [z.object({ type: z.literal('a'), size: z.int32().default(1) }), z.object({ type: z.literal('b') })],
      'spec.size: the server would set this default for every option of the union',
    ],
    [
      'with a loose object',
      [z.looseObject({ type: z.literal('a') }), z.object({ type: z.literal('b') })],
      'spec: an option of the union has x-kubernetes-preserve-unknown-fields, which cannot be merged',
    ],
    [
      'with discriminators of several types',
      [z.object({ type: z.literal('a') }), z.object({ type: z.literal(1) })],
      'spec.type: the discriminator has values of several types: use strings only',
    ],
    [
      'with a name that rules cannot use',
      [z.object({ type: z.literal('a'), 'a b': z.string() }), z.object({ type: z.literal('b') })],
      'spec["a b"]: rules of the union cannot refer to this name',
    ],
  ])('KS-2: refuses a discriminated union %s', (_title, options, problem) => {
    expect(() => schemaOf(z.discriminatedUnion('type', options))).toThrow(problem);
  });
});
