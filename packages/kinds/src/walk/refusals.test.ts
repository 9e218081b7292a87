import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { defineKind, k8s, SchemaError } from '../index.ts';

const names = { apiVersion: 'example.com/v1', kind: 'Thing', plural: 'things', scope: 'Namespaced' } as const;

function refusal(field: z.ZodType): SchemaError {
  try {
    defineKind({ ...names, spec: z.object({ field }) });
  } catch (error) {
    if (error instanceof SchemaError) return error;
    throw error;
  }
  throw new Error('the schema was not refused');
}

interface Node {
  name: string;
  next?: Node | undefined;
}
const node: z.ZodType<Node> = z.object({ name: z.string(), next: z.lazy(() => node.optional()) });

const shape = z.object({ size: z.int32() });
let calls = 0;

describe('KS-2: refusals', () => {
  it.each<[title: string, field: z.ZodType, problem: string, remedy: string]>([
    ['a transform', z.string().transform(Number), 'change values', 'convert it in your code'],
    ['a pipe', z.string().pipe(z.string()), '.pipe()', 'declare the value as it is stored'],
    ['a preprocessor', z.preprocess(String, z.string()), 'z.preprocess()', 'declare the value as it is stored'],
    ['a stringbool', z.stringbool(), 'z.stringbool()', 'declare the value as it is stored'],
    ['a coerced string', z.coerce.string(), 'z.coerce.string() changes values', 'use z.string()'],
    ['a coerced number', z.coerce.number(), 'z.coerce.number() changes values', 'use z.number()'],
    ['a coerced boolean', z.coerce.boolean(), 'z.coerce.boolean() changes values', 'use z.boolean()'],
    ['trim', z.string().trim(), '.trim()', '.regex('],
    ['toLowerCase', z.string().toLowerCase(), '.toLowerCase()', '.lowercase()'],
    ['catch', z.string().catch('a'), '.catch() hides errors', 'use .default()'],
    ['a bigint', z.bigint(), 'z.bigint() is not a type of JSON', 'use z.int()'],
    ['a 64-bit bigint', z.int64(), 'z.bigint() is not a type of JSON', 'use z.int()'],
    ['a date', z.date(), 'z.date() is not a type of JSON', 'k8s.time()'],
    ['a map', z.map(z.string(), z.string()), 'z.map()', 'use z.record('],
    ['a set', z.set(z.string()), 'z.set()', 'k8s.listSet(item)'],
    ['a tuple', z.tuple([z.string()]), 'z.tuple()', 'z.object()'],
    ['an intersection', z.intersection(shape, shape), 'z.intersection()', '.extend()'],
    ['a recursion', node, 'the schema contains itself', 'k8s.raw()'],
    ['a function', z.custom<string>(() => true), 'z.custom()', 'k8s.raw()'],
    ['never', z.never(), 'z.never()', 'remove the field'],
    ['undefined', z.undefined(), 'z.undefined()', '.optional()'],
    ['null alone', z.null(), 'z.null()', '.nullable()'],
    ['a symbol', z.symbol(), 'z.symbol()', 'z.string()'],
    ['not a number', z.nan(), 'z.nan()', 'z.number()'],
    ['a promise', z.promise(z.string()), 'z.promise()', 'the schema of its value'],
    ['a file', z.file(), 'z.file()', 'k8s.bytes()'],
    ['a strict object', z.strictObject({ a: z.string() }), 'z.strictObject()', 'fieldValidation: "Strict"'],
    ['a catchall beside fields', shape.catchall(z.string()), '.catchall()', 'z.record('],
    ['a pattern of keys', z.record(z.string().regex(/^a/), z.string()), 'rules for the keys', 'k8s.cel('],
    ['listed keys', z.record(z.enum(['a']), z.string()), 'listed keys', 'z.object()'],
    ['keys of numbers', z.record(z.number(), z.string()), 'keys of type number', 'z.string()'],
    ['a flag of a pattern', z.string().regex(/a/i), 'the flag i', 'list both cases'],
    ['a lookahead', z.string().regex(/(?!a)/), 'a lookahead', 'two patterns'],
    ['a URL', z.url(), 'the format url is checked by code', 'isURL(self)'],
    ['a format that is a function', z.stringFormat('odd', () => true), 'is a function', 'with a pattern'],
    ['a position', z.string().includes('a', { position: 2 }), '.includes() with a position', '.regex()'],
    ['a fraction of multiples', z.number().multipleOf(0.1), '.multipleOf(0.1)', 'a smaller unit'],
    ['multiples of numbers', z.number().multipleOf(2), '.multipleOf(2)', 'z.int().multipleOf()'],
    ['a float32', z.float32(), 'z.float32()', 'use z.number()'],
    ['a limit beyond 64 bits', z.number().max(1e300), 'does not fit into 64 bits', 'remove it'],
    ['a least number with a fraction', z.number().min(0.5), 'without its fraction', "rule: 'self >= 0.5'"],
    ['a greatest number with a fraction', z.number().lt(0.5), 'without its fraction', "rule: 'self < 0.5'"],
    ['an infinite limit', z.number().max(Infinity), 'Infinity is not a finite number', 'remove it'],
    ['a union of types', z.union([z.string(), z.boolean()]), 'a union of string, boolean', 'k8s.raw()'],
    ['a union of objects', z.union([shape, z.object({})]), 'a union of object, object', 'z.discriminatedUnion()'],
    ['an exclusive union', z.xor([z.string(), z.int()]), 'z.xor()', 'z.union()'],
    ['a union with a default', z.union([z.string().default('a'), z.int32()]), 'a default', 'move it to the union'],
    ['literals of several types', z.literal(['a', 1]), 'more than one type: string, integer', 'strings only'],
    ['a literal bigint', z.literal(1n), 'a literal of type bigint', 'strings, numbers or booleans'],
    ['a refinement', z.string().refine(() => true), '.refine()', "admission: 'webhook'"],
    ['a check that is a function', z.string().check(() => undefined), '.check()', 'k8s.cel('],
    ['an optional item', z.array(z.string().optional()), 'an item cannot be missing', 'remove them'],
    [
      'a default of a value of a map',
      z.record(z.string(), z.int().default(1)),
      'an item cannot be missing',
      'remove them',
    ],
    [
      'int-or-string of a string',
      z.string().meta({ 'x-kubernetes-int-or-string': true }),
      'is for the type any, and the schema has the type string',
      'remove it',
    ],
    [
      'an embedded resource without fields',
      z.object({}).meta({ 'x-kubernetes-embedded-resource': true }),
      'needs fields',
      'add fields',
    ],
    [
      'an embedded resource of a string',
      z.string().meta({ 'x-kubernetes-embedded-resource': true }),
      'is for the type object',
      'remove it',
    ],
    [
      'a map type of a string',
      z.string().meta({ 'x-kubernetes-map-type': 'atomic' }),
      'for the type object',
      'remove it',
    ],
    [
      'unknown fields of an integer',
      z.int32().meta({ 'x-kubernetes-preserve-unknown-fields': true }),
      'is for the type object or any',
      'remove it',
    ],
    [
      'a key of a list that every object inherits',
      k8s.listMap(z.object({ name: z.string() }), ['constructor']),
      'the key constructor of a list map is not a field of its items',
      'add it',
    ],
    [
      'an integer or one of very many texts',
      z.union([z.int32(), z.enum(Array.from({ length: 3_000 }, (_, index) => `value-${index}`))]),
      'the expression has 31895 characters',
      'shorten it',
    ],
    ['a default that changes', z.int().default(() => (calls += 1)), 'another value each time', 'use a constant'],
    [
      'a default that is the time of the call',
      z.string().default(() => new Date().toISOString()),
      'another value each time',
      'use a constant',
    ],
    [
      'a default that is the year of the call',
      z.int32().default(() => new Date(Date.now()).getUTCFullYear()),
      'another value each time',
      'use a constant',
    ],
    ['a default of null', z.string().nullable().default(null), 'with null is ignored', '.nullable().optional()'],
    ['an invalid default', z.int().max(1).default(2), '.default() does not match the schema', 'correct the default'],
    [
      'an incomplete default',
      z.object({ a: z.int().default(1) }).default({} as { a: number }),
      'lacks the defaults',
      '.prefault()',
    ],
    [
      'a default with other fields',
      z.object({}).prefault({ a: 1 } as never),
      'fields that the schema does not have',
      'remove them',
    ],
    ['a required default', z.int().default(1).nonoptional(), '.nonoptional()', 'remove it, or the default'],
    ['a keyword in metadata', z.string().meta({ pattern: '^a' }), '.meta({ pattern })', '.regex() for pattern'],
    [
      'an unknown extension',
      z.string().meta({ 'x-kubernetes-list': 'map' }),
      'not an extension of Kubernetes',
      'correct its name',
    ],
    ['examples without a list', z.string().meta({ examples: 'a' }), '.meta({ examples }) is not', 'pass a list'],
    ['a list map without the key', k8s.listMap(shape, ['name']), 'the key name of a list map is not a field', 'add it'],
    [
      'a list map with an optional key',
      k8s.listMap(z.object({ name: z.string().optional() }), ['name']),
      'is optional',
      '.default()',
    ],
    ['a set of objects', k8s.listSet(shape), 'a set of objects', 'k8s.listMap('],
  ])('KS-2: refuses %s', (_title, field, problem, remedy) => {
    const error = refusal(field);
    expect(error.message).toMatch(/^kind Thing: spec\.field[^:]*: /);
    expect(error.message).toContain(problem);
    expect(error.remedy).toContain(remedy);
  });

  it('KS-2: names the path of the field in lists, maps and unions', () => {
    const inner = z.bigint();
    expect(refusal(z.array(z.object({ a: inner }))).path).toBe('spec.field[].a');
    expect(refusal(z.record(z.string(), z.object({ 'b c': inner }))).path).toBe('spec.field{}["b c"]');
    expect(refusal(inner.optional().nullable().readonly()).path).toBe('spec.field');
  });

  it('KS-2: refuses by its name a type and a check that it does not know', () => {
    const type = z.string();
    Object.assign(type._zod.def, { type: 'hologram' });
    expect(refusal(type).message).toContain('the type hologram is not supported');
    const check = z.string().min(1);
    Object.assign(check._zod.def.checks?.[0]?._zod.def ?? {}, { check: 'rhymes' });
    expect(refusal(check).message).toContain('the check rhymes has no equivalent');
    expect(refusal(z.object({ a: z.string() }).check(z.property('a', z.string()))).message).toContain(
      'the check property',
    );
  });

  it('KS-2: refuses a schema of a spec that is not an object', () => {
    expect(() => defineKind({ ...names, spec: z.string() })).toThrow(
      'kind Thing: spec: expected the schema of an object, found a schema of type string: use z.object({ … })',
    );
    expect(() => defineKind({ ...names, status: shape.nullable() })).toThrow('found a schema that allows null');
  });

  it('KS-2: refuses a schema that is too deep', () => {
    let deep: z.ZodType = z.string();
    for (let level = 0; level < 70; level += 1) deep = z.object({ inner: deep });
    expect(refusal(deep).message).toContain('the schema has more than 64 levels');
  });
});
