import { describe, expect, it } from '@jest/globals';
import { applyDefaults } from './defaults.ts';
import { prune } from './prune.ts';
import type { Schema } from './schema.ts';
import { schemaErrors } from './validate.ts';

const PRESERVE = { 'x-kubernetes-preserve-unknown-fields': true } as const;
const RESOURCE = { type: 'object', 'x-kubernetes-embedded-resource': true } as const;
const TEXT: Schema = { type: 'string' };

/** Returns the rest of a value, and the paths that were removed. */
function pruned(schema: Schema, value: unknown): [rest: unknown, removed: string[]] {
  const root = { f: structuredClone(value) };
  const removed = prune({ type: 'object', properties: { f: schema } }, root);
  return [root.f, removed];
}

describe('pruning', () => {
  it.each<[what: string, schema: Schema, value: unknown, rest: unknown, removed: string[]]>([
    [
      'keeps the fields of additionalProperties: true, and nothing within them',
      { type: 'object', additionalProperties: true },
      { a: 1, b: { c: 1 }, d: [{ e: 1 }, 2] },
      { a: 1, b: {}, d: [{}, 2] },
      ['f.b.c', 'f.d[0].e'],
    ],
    [
      'keeps the fields of additionalProperties: false in the same way',
      { type: 'object', additionalProperties: false },
      { a: { b: 1 } },
      { a: {} },
      ['f.a.b'],
    ],
    [
      'prunes below additionalProperties: true even if the object preserves unknown fields',
      { type: 'object', additionalProperties: true, ...PRESERVE },
      { a: { b: 1 } },
      { a: {} },
      ['f.a.b'],
    ],
    [
      'keeps everything below a schema that preserves unknown fields',
      { type: 'object', additionalProperties: PRESERVE },
      { a: { b: { c: [{}] } } },
      { a: { b: { c: [{}] } } },
      [],
    ],
    [
      'prunes the properties of an object that preserves other fields',
      { type: 'object', properties: { a: { type: 'object', properties: { x: TEXT } } }, ...PRESERVE },
      { a: { x: '', y: 1 }, b: { c: 1 } },
      { a: { x: '' }, b: { c: 1 } },
      ['f.a.y'],
    ],
    [
      'preserves the unknown fields of the items of a list that preserves them',
      { type: 'array', items: { type: 'object', properties: { x: TEXT } }, ...PRESERVE },
      [{ x: '', y: { z: 1 } }],
      [{ x: '', y: { z: 1 } }],
      [],
    ],
    [
      'keeps the metadata of an embedded resource, whatever its schema says',
      { ...RESOURCE, properties: { metadata: { type: 'object' }, spec: { type: 'object' } } },
      { apiVersion: 'v1', kind: 'K', metadata: { name: 'n' }, spec: { a: 1 }, b: 1 },
      { apiVersion: 'v1', kind: 'K', metadata: { name: 'n' }, spec: {} },
      ['f.spec.a', 'f.b'],
    ],
    ['prunes a list in the place of an object', { type: 'object' }, [{ a: 1 }], [{}], ['f[0].a']],
  ])('K-19: %s', (_what, schema, value, rest, removed) => {
    expect(pruned(schema, value)).toEqual([rest, removed]);
  });
});

describe('defaulting', () => {
  it('K-19: replaces a null in a list and in a map by the default of its schema', () => {
    const item: Schema = { type: 'string', default: 'd' };
    const object = { list: [null, 'a'], map: { k: null, l: 'b' }, kept: { k: null }, nullable: [null] };
    applyDefaults(
      {
        type: 'object',
        properties: {
          list: { type: 'array', items: item },
          map: { type: 'object', additionalProperties: item },
          kept: { type: 'object', additionalProperties: TEXT },
          nullable: { type: 'array', items: { ...item, nullable: true } },
        },
      },
      object,
    );
    expect(object).toEqual({ list: ['d', 'a'], map: { k: 'd', l: 'b' }, kept: { k: null }, nullable: [null] });
  });
});

describe('validation', () => {
  const textsOf = (schema: Schema, value: unknown): string[] =>
    schemaErrors({ type: 'object', properties: { f: schema } }, { f: value }).map(
      ({ field, message }) => `${field}: ${message}`,
    );

  it.each<[what: string, schema: Schema, value: unknown, texts: string[]]>([
    [
      'refuses the fields of additionalProperties: false',
      { type: 'object', additionalProperties: false },
      { a: 1 },
      ['f: Invalid value: "a": f.a in body is a forbidden property'],
    ],
    [
      'names every alternative of a number or text',
      { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, TEXT] },
      [],
      [
        'f: Invalid value: "array": f in body must be of type integer,string: "array"',
        ': Invalid value: "": "f" must validate at least one schema (anyOf)',
        'f: Invalid value: "array": f in body must be of type integer: "array"',
      ],
    ],
    [
      'says bytes and items of one in the singular',
      { type: 'string', maxLength: 1 },
      'xx',
      ['f: Too long: may not be more than 1 byte'],
    ],
    [
      'shows numbers as Go does',
      { type: 'number', maximum: -1_234_567.5 },
      1e20,
      ['f: Invalid value: 1e+20: f in body should be less than or equal to -1.2345675e+06'],
    ],
    ['divides integers of 64 bits exactly', { type: 'integer', multipleOf: 3 }, 3_000_000_000_000_000_000, []],
    ['converts a fraction to an allowed integer, as Go does', { type: 'number', enum: [1] }, 1.5, []],
  ])('K-19: %s', (_what, schema, value, texts) => {
    expect(textsOf(schema, value)).toEqual(texts);
  });
});
