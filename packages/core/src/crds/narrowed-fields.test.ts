import { describe, expect, it } from '@jest/globals';
import type { StructuralSchema } from './narrowed-fields.ts';
import { narrowedFields } from './narrowed-fields.ts';

const object = (properties: Record<string, StructuralSchema>, rest: StructuralSchema = {}): StructuralSchema => ({
  type: 'object',
  properties,
  ...rest,
});
const spec = (schema: StructuralSchema) => object({ spec: schema });

describe('narrowedFields', () => {
  it.each<[string, StructuralSchema, StructuralSchema, string[]]>([
    ['an equal schema', object({ a: { type: 'string' } }), object({ a: { type: 'string' } }), []],
    ['a new field', object({}), object({ a: { type: 'string' } }), []],
    [
      'a new required field with a default',
      object({}),
      object({ a: { type: 'string', default: '' } }, { required: ['a'] }),
      [],
    ],
    ['an integer that becomes a number', object({ a: { type: 'integer' } }), object({ a: { type: 'number' } }), []],
    ['a wider limit', { type: 'integer', maximum: 5 }, { type: 'integer', maximum: 50 }, []],
    ['a removed enum', { type: 'string', enum: ['a'] }, { type: 'string' }, []],
    ['an integer that may be a string', { type: 'integer' }, { 'x-kubernetes-int-or-string': true }, []],
    [
      'a field that becomes unknown and is kept',
      object({ a: { type: 'string' } }),
      object({}, { 'x-kubernetes-preserve-unknown-fields': true }),
      [],
    ],
  ])('KS-5: accepts %s', (_, before, after, expected) => {
    expect(narrowedFields(spec(before), spec(after))).toEqual(expected);
  });

  it.each<[string, StructuralSchema, StructuralSchema, string, string]>([
    ['a removed field', object({ a: { type: 'string' } }), object({}), 'spec.a', 'removed'],
    [
      'another type',
      object({ a: { type: 'string' } }),
      object({ a: { type: 'integer' } }),
      'spec.a',
      'type integer instead of string',
    ],
    [
      'a number that becomes an integer',
      { type: 'number' },
      { type: 'integer' },
      'spec',
      'type integer instead of number',
    ],
    ['a new required field', object({}), object({ a: { type: 'string' } }, { required: ['a'] }), 'spec.a', 'required'],
    [
      'a lower maximum',
      { type: 'integer', maximum: 50 },
      { type: 'integer', maximum: 5 },
      'spec',
      'maximum 5 instead of 50',
    ],
    ['a new minimum', { type: 'integer' }, { type: 'integer', minimum: 1 }, 'spec', 'minimum 1 instead of none'],
    ['a new pattern', { type: 'string' }, { type: 'string', pattern: '^a' }, 'spec', 'pattern ^a instead of none'],
    [
      'a removed value',
      { type: 'string', enum: ['a', 'b'] },
      { type: 'string', enum: ['a'] },
      'spec',
      'without the value "b"',
    ],
    ['a new enum', { type: 'string' }, { type: 'string', enum: ['a'] }, 'spec', 'limited to an enum'],
    ['null', { type: 'string', nullable: true }, { type: 'string' }, 'spec', 'no longer nullable'],
    [
      'items',
      { type: 'array', items: { type: 'string' } },
      { type: 'array', items: { type: 'string', maxLength: 3 } },
      'spec[]',
      'maxLength 3 instead of none',
    ],
    [
      'values of a map',
      { type: 'object', additionalProperties: { type: 'string' } },
      { type: 'object', additionalProperties: { type: 'integer' } },
      'spec[*]',
      'type integer instead of string',
    ],
    [
      'a map that becomes an object',
      { type: 'object', additionalProperties: { type: 'string' } },
      object({}),
      'spec',
      'other fields are dropped',
    ],
    [
      'unknown fields',
      object({}, { 'x-kubernetes-preserve-unknown-fields': true }),
      object({}),
      'spec',
      'unknown fields are dropped',
    ],
    [
      'int-or-string',
      { 'x-kubernetes-int-or-string': true },
      { type: 'integer' },
      'spec',
      'type integer instead of integer or string',
    ],
  ])('KS-5: finds %s', (_, before, after, path, change) => {
    expect(narrowedFields(spec(before), spec(after))).toEqual([{ path, change }]);
  });

  it('KS-5: reports a limited number of fields', () => {
    const fields = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`f${index}`, { type: 'string' }]));
    expect(narrowedFields(object(fields), object({}))).toHaveLength(10);
  });
});
