import { describe, expect, it } from '@jest/globals';
import type { ServedSchema } from './crd-schema.ts';
import { narrowedFields } from './narrowed-fields.ts';

const object = (properties: Record<string, ServedSchema>, rest: ServedSchema = {}): ServedSchema => ({
  type: 'object',
  properties,
  ...rest,
});
const union = (...values: string[]): ServedSchema =>
  object(
    { type: { type: 'string', enum: values }, ...Object.fromEntries(values.map((name) => [name, { type: 'string' }])) },
    {
      'x-kubernetes-validations': values.flatMap((value) =>
        values.map((name) => ({
          rule: `!(self.type == "${value}") || ${name === value ? '' : '!'}has(self.${name})`,
        })),
      ),
    },
  );
/** Keywords that the type does not have. */
const other = (keywords: object): ServedSchema => ({ type: 'string', ...keywords });
const spec = (schema: ServedSchema) => object({ spec: schema });

/** Schemas with one rule. */
function ruled(before: object | undefined, after: object): [ServedSchema, ServedSchema] {
  const rules = (rest: object) => ({ 'x-kubernetes-validations': [{ rule: 'self > 0', ...rest }] });
  return [before ? rules(before) : {}, rules(after)];
}

describe('narrowedFields', () => {
  it.each<[string, ServedSchema, ServedSchema, string[]]>([
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
    ['documentation', other({ description: 'a' }), other({ description: 'b', title: 'c', example: 'd' }), []],
    ['a removed rule', { 'x-kubernetes-validations': [{ rule: 'self > 0' }] }, {}, []],
    ['another message of a rule', ...ruled({ message: 'a' }, { message: 'b', reason: 'FieldValueInvalid' }), []],
    ['a further option of a union', union('a', 'b'), union('a', 'b', 'c'), []],
    ['a lower factor', { type: 'integer', multipleOf: 6 }, { type: 'integer', multipleOf: 3 }, []],
    ['an inclusive limit', { minimum: 1, exclusiveMinimum: true }, { minimum: 1 }, []],
    ['a limit of nothing', { type: 'string' }, { type: 'string', minLength: 0 }, []],
    ['a removed part of allOf', { allOf: [{ pattern: 'a' }, { pattern: 'b' }] }, { allOf: [{ pattern: 'b' }] }, []],
    ['a further part of anyOf', { anyOf: [{ pattern: 'a' }] }, { anyOf: [{ pattern: 'b' }, { pattern: 'a' }] }, []],
    ['an enum that may be null', { enum: ['a'] }, { nullable: true, allOf: [{ enum: ['a', 'b'] }] }, []],
    ['int64', { type: 'integer', format: 'int32' }, { type: 'integer', format: 'int64' }, []],
    ['a list that is no longer a set', { 'x-kubernetes-list-type': 'set' }, { 'x-kubernetes-list-type': 'atomic' }, []],
    ['another key', { 'x-kubernetes-list-map-keys': ['a'] }, { 'x-kubernetes-list-map-keys': ['b', 'a'] }, []],
    ['granular maps', other({ 'x-kubernetes-map-type': 'atomic' }), other({ 'x-kubernetes-map-type': 'granular' }), []],
    [
      'any values that become unknown fields',
      { type: 'object', additionalProperties: true },
      { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      [],
    ],
    [
      'values of a map that become any',
      { type: 'object', additionalProperties: { type: 'string' } },
      { type: 'object', additionalProperties: true },
      [],
    ],
  ])('KS-5: accepts %s', (_, before, after, expected) => {
    expect(narrowedFields(spec(before), spec(after))).toEqual(expected);
  });

  it.each<[string, ServedSchema, ServedSchema, string, string]>([
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
    [
      'fields of objects that become any value',
      { type: 'object', additionalProperties: object({ a: { type: 'string' } }) },
      { type: 'object', additionalProperties: true },
      'spec[*].a',
      'removed',
    ],
    [
      'a removed field that objects inherit',
      object({ constructor: { type: 'string' } }),
      object({}),
      'spec.constructor',
      'removed',
    ],
    [
      'a required field that objects inherit',
      object({}),
      object({}, { required: ['toString'] }),
      'spec.toString',
      'required',
    ],
    [
      'an exclusive minimum',
      { minimum: 0 },
      { minimum: 0, exclusiveMinimum: true },
      'spec',
      'exclusiveMinimum true instead of none',
    ],
    ['a factor', { type: 'integer' }, { type: 'integer', multipleOf: 5 }, 'spec', 'multipleOf 5 instead of none'],
    ['another factor', { multipleOf: 6 }, { multipleOf: 4 }, 'spec', 'multipleOf 4 instead of 6'],
    ['a part of allOf', { type: 'string' }, { type: 'string', allOf: [{ pattern: '^z' }] }, 'spec', 'allOf changed'],
    [
      'a value of an enum that may be null',
      { allOf: [{ enum: ['a', 'b'] }] },
      { allOf: [{ enum: ['a'] }] },
      'spec',
      'allOf changed',
    ],
    ['anyOf', {}, { anyOf: [{ pattern: 'a' }] }, 'spec', 'anyOf changed'],
    [
      'fewer parts of anyOf',
      { anyOf: [{ pattern: 'a' }, { pattern: 'b' }] },
      { anyOf: [{ pattern: 'a' }] },
      'spec',
      'anyOf changed',
    ],
    ['oneOf', {}, { oneOf: [{ pattern: 'a' }] }, 'spec', 'oneOf [{"pattern":"a"}] instead of none'],
    ['not', {}, { not: { enum: ['a'] } }, 'spec', 'not {"enum":["a"]} instead of none'],
    ['a set', {}, { 'x-kubernetes-list-type': 'set' }, 'spec', 'list type set instead of none'],
    [
      'fewer keys',
      { 'x-kubernetes-list-map-keys': ['a', 'b'] },
      { 'x-kubernetes-list-map-keys': ['a'] },
      'spec',
      'list map keys ["a"] instead of ["a","b"]',
    ],
    ['a rule', ...ruled(undefined, {}), 'spec', 'new rule self > 0'],
    ['a rule for creations', ...ruled({}, { optionalOldSelf: true }), 'spec', 'new rule self > 0'],
    [
      'a rule for a value that a union has',
      union('a'),
      { ...union('a'), 'x-kubernetes-validations': [{ rule: '!(self.type == "a") || !has(self.a)' }] },
      'spec',
      'new rule !(self.type == "a") || !has(self.a)',
    ],
    [
      'any values that become integers',
      { type: 'object', additionalProperties: true },
      { type: 'object', additionalProperties: { type: 'integer' } },
      'spec[*]',
      'type integer instead of any',
    ],
    [
      'any values that become objects',
      { type: 'object', additionalProperties: true },
      { type: 'object', additionalProperties: object({}) },
      'spec[*]',
      'type object instead of any',
    ],
    [
      'an unknown field that gets a type',
      object({}, { 'x-kubernetes-preserve-unknown-fields': true }),
      object({ a: object({}) }, { 'x-kubernetes-preserve-unknown-fields': true }),
      'spec.a',
      'type object instead of any',
    ],
    [
      'any value that becomes an object',
      { 'x-kubernetes-preserve-unknown-fields': true },
      { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      'spec',
      'type object instead of any',
    ],
    [
      'a default that is removed',
      object({ a: { type: 'string', default: '' } }, { required: ['a'] }),
      object({ a: { type: 'string' } }, { required: ['a'] }),
      'spec.a',
      'required without a default',
    ],
    [
      'an embedded resource',
      {},
      { 'x-kubernetes-embedded-resource': true },
      'spec',
      'x-kubernetes-embedded-resource changed',
    ],
    [
      'a keyword that is not known',
      other({}),
      other({ 'x-kubernetes-later': 1 }),
      'spec',
      'x-kubernetes-later changed',
    ],
  ])('KS-5: finds %s', (_, before, after, path, change) => {
    expect(narrowedFields(spec(before), spec(after))).toEqual([{ path, change }]);
  });

  it('KS-5: reports a limited number of fields', () => {
    const fields = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`f${index}`, { type: 'string' }]));
    expect(narrowedFields(object(fields), object({}))).toHaveLength(10);
  });
});
