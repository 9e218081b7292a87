import { describe, expect, it } from '@jest/globals';
import { complete, Turn } from '../turn.ts';
import type { Schema } from './schema.ts';
import { listTypeErrors } from './list-type-errors.ts';
import { schemaErrors } from './validate.ts';

const textsOf = (schema: Schema, value: unknown): string[] =>
  [
    ...schemaErrors({ type: 'object', properties: { f: schema } }, { f: value }),
    ...complete(listTypeErrors({ type: 'object', properties: { f: schema } }, { f: value }, new Turn())),
  ].map(({ field, message }) => `${field}: ${message}`);

describe('validation by a schema', () => {
  it.each<readonly [string, Schema, unknown, string]>([
    ['type', { type: 'integer' }, 'x', 'f: Invalid value: "string": f in body must be of type integer: "string"'],
    ['integer', { type: 'integer' }, 1.5, 'f: Invalid value: "number": f in body must be of type integer: "number"'],
    ['null', { type: 'string' }, null, 'f: Invalid value: "null": f in body must be of type string: "null"'],
    ['enum', { type: 'string', enum: ['a', 'b'] }, 'c', 'f: Unsupported value: "c": supported values: "a", "b"'],
    [
      'null in an enum',
      { type: 'string', nullable: true, enum: ['a', null] },
      null,
      'f: Unsupported value: null: supported values: "a", "null"',
    ],
    ['pattern', { type: 'string', pattern: '^a+$' }, 'b', 'f: Invalid value: "b": f in body should match \'^a+$\''],
    [
      'minimum',
      { type: 'integer', minimum: 1 },
      0,
      'f: Invalid value: 0: f in body should be greater than or equal to 1',
    ],
    [
      'exclusive minimum',
      { type: 'integer', minimum: 1, exclusiveMinimum: true },
      1,
      'f: Invalid value: 1: f in body should be greater than 1',
    ],
    [
      'maximum',
      { type: 'number', maximum: 1 },
      1.5,
      'f: Invalid value: 1.5: f in body should be less than or equal to 1',
    ],
    [
      'exclusive maximum',
      { type: 'integer', maximum: 1, exclusiveMaximum: true },
      1,
      'f: Invalid value: 1: f in body should be less than 1',
    ],
    ['multiple', { type: 'integer', multipleOf: 3 }, 4, 'f: Invalid value: 4: f in body should be a multiple of 3'],
    [
      'minLength',
      { type: 'string', minLength: 2 },
      'é',
      'f: Invalid value: "é": f in body should be at least 2 chars long',
    ],
    ['maxLength', { type: 'string', maxLength: 2 }, 'abc', 'f: Too long: may not be more than 2 bytes'],
    [
      'minItems',
      { type: 'array', minItems: 1, items: { type: 'string' } },
      [],
      'f: Invalid value: 0: f in body should have at least 1 items',
    ],
    ['maxItems', { type: 'array', maxItems: 1, items: {} }, [1, 2], 'f: Too many: 2: must have at most 1 item'],
    [
      'items',
      { type: 'array', items: { type: 'integer' } },
      [1, 'x'],
      'f[1]: Invalid value: "string": f[1] in body must be of type integer: "string"',
    ],
    ['required', { type: 'object', required: ['a'] }, {}, 'f.a: Required value'],
    [
      'properties of a map',
      { type: 'object', additionalProperties: { type: 'string' } },
      { k: 1 },
      'f.k: Invalid value: "integer": f.k in body must be of type string: "integer"',
    ],
    [
      'minProperties',
      { type: 'object', minProperties: 1 },
      {},
      'f: Invalid value: 0: f in body should have at least 1 properties',
    ],
    [
      'int-or-string',
      { 'x-kubernetes-int-or-string': true },
      true,
      'f: Invalid value: "boolean": f in body must be of type integer,string: "boolean"',
    ],
    ['set', { type: 'array', 'x-kubernetes-list-type': 'set', items: {} }, ['a', 'a'], 'f[1]: Duplicate value: "a"'],
    [
      'map list',
      {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k'],
        items: { type: 'object' },
      },
      [{ k: 1 }, { k: 1, v: 2 }],
      'f[1]: Duplicate value: {"k":1}',
    ],
    [
      'anyOf',
      { type: 'integer', anyOf: [{ minimum: 3 }, { maximum: 1 }] },
      2,
      ': Invalid value: "": "f" must validate at least one schema (anyOf); f: Invalid value: 2: f in body should be greater than or equal to 3',
    ],
    [
      'oneOf',
      { type: 'integer', oneOf: [{ minimum: 1 }, { minimum: 2 }] },
      3,
      ': Invalid value: "": "f" must validate one and only one schema (oneOf). Found 2 valid alternatives',
    ],
    ['not', { type: 'integer', not: { minimum: 2 } }, 3, ': Invalid value: "": "f" must not validate the schema (not)'],
  ])('K-19: %s', (_what, schema, value, text) => {
    expect(textsOf(schema, value).join('; ')).toBe(text);
  });

  it.each([
    ['date-time', '2026-01-02T03:04:05Z', '2026-01-02'],
    ['date', '2026-01-02', '2026-13-02'],
    ['byte', 'YQ==', 'a'],
    ['byte', 'YWJj', ''],
    ['duration', '1h30m', 'an hour'],
    ['email', 'a@example.com', 'a@'],
    ['hostname', 'a.example.com', '-a'],
    ['ipv4', '10.0.0.1', '10.0.0.256'],
    ['ipv6', '::1', '10.0.0.1'],
    ['cidr', '10.0.0.0/8', '10.0.0.0/33'],
    ['uri', 'https://example.com/', 'example'],
    ['uuid', '0d0d2b0c-3b9a-4e0e-8b39-2f8f7d1c6a55', '0d0d'],
  ])('K-19: format %s', (format, good, bad) => {
    expect(textsOf({ type: 'string', format }, good)).toEqual([]);
    expect(textsOf({ type: 'string', format }, bad)).toEqual([
      `f: Invalid value: ${JSON.stringify(bad)}: f in body must be of type ${format}: ${JSON.stringify(bad)}`,
    ]);
  });

  it('K-19: accepts valid values', () => {
    expect(textsOf({ type: 'string', nullable: true }, null)).toEqual([]);
    expect(textsOf({ type: 'number' }, 1)).toEqual([]);
    expect(textsOf({ 'x-kubernetes-int-or-string': true }, '50%')).toEqual([]);
    expect(textsOf({ type: 'string', format: 'unheard-of' }, 'x')).toEqual([]);
    expect(textsOf({ type: 'object', properties: { a: { type: 'string' } } }, { b: 1 })).toEqual([]);
  });
});
