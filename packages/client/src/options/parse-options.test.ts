import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import {
  dataKeySchema,
  labelKeySchema,
  labelSelectorSchema,
  labelValueSchema,
  namespaceSchema,
} from '../kinds/names.ts';
import { nonNegativeMilliseconds, positiveMilliseconds } from './duration.ts';
import { parseOptions } from './parse-options.ts';

class Provider {
  readonly #name = 'eu-1';
  get name() {
    return this.#name;
  }
}

const schema = z.strictObject({
  name: z.string().min(1),
  level: z.enum(['info', 'debug']).optional(),
  type: z.literal('a').optional(),
  count: z.int().positive().optional(),
  port: z.int().min(1).max(65_535).optional(),
  ratio: z.number().lt(1).optional(),
  dryRun: z.boolean().optional(),
  list: z.array(z.string()).min(1).max(2).optional(),
  code: z.string().min(2).max(4).optional(),
  nested: z.strictObject({ wait: positiveMilliseconds }).optional(),
  debounce: nonNegativeMilliseconds.optional(),
  onError: z.custom((value) => typeof value === 'function', 'expected a function').optional(),
  pathOrList: z.union([z.string().min(1), z.array(z.strictObject({ name: z.string() }))]).optional(),
  rule: z
    .discriminatedUnion('type', [z.object({ type: z.literal('a') }), z.object({ type: z.literal('b') })])
    .optional(),
  record: z.record(z.string(), z.int()).optional(),
  namespace: namespaceSchema.optional(),
  labelSelector: labelSelectorSchema.optional(),
  labelKey: labelKeySchema.optional(),
  labelValue: labelValueSchema.optional(),
  dataKey: dataKeySchema.optional(),
});

const messageOf = (options: unknown): string => {
  try {
    parseOptions('make', schema, options, '{ name: "a" }');
  } catch (error) {
    expect(error).toBeInstanceOf(TypeError);
    return (error as Error).message;
  }
  return 'accepted';
};

describe('parseOptions', () => {
  it('returns the options that the schema parsed', () => {
    const wait = z.strictObject({ wait: z.number().default(5) });
    expect(parseOptions('make', wait, {})).toEqual({ wait: 5 });
    expect(parseOptions('make', wait, Object.create(null))).toEqual({ wait: 5 });
  });

  it.each([
    ['a string', '/path', 'a string'],
    ['nothing', undefined, 'undefined'],
    ['null', null, 'null'],
    ['an array', [], 'an array'],
    ['a function', () => 0, 'a function'],
    ['an instance of a class', new Provider(), 'an object of class Provider'],
    ['an AbortSignal', AbortSignal.abort(), 'an object of class AbortSignal'],
  ])('refuses %s instead of options', (_, options, found) => {
    expect(messageOf(options)).toBe(`make: expected options as a plain object such as { name: "a" }, found ${found}`);
  });

  it.each<[Record<string, unknown>, string]>([
    [{ name: undefined }, 'option "name": expected a string, found undefined'],
    [{ name: 5 }, 'option "name": expected a string, found a number'],
    [{ name: '' }, 'option "name": expected a string that is not empty, found ""'],
    [{ level: 'trace' }, 'option "level": expected one of "info", "debug", found "trace"'],
    [{ type: 'b' }, 'option "type": expected "a", found "b"'],
    [{ count: 0 }, 'option "count": expected a number greater than 0, found 0'],
    [{ count: 1.5 }, 'option "count": expected a whole number, found 1.5'],
    [{ count: '3' }, 'option "count": expected a whole number, found a string'],
    [{ count: Number.NaN }, 'option "count": expected a whole number, found NaN'],
    [{ port: 0 }, 'option "port": expected a number of at least 1, found 0'],
    [{ port: 70_000 }, 'option "port": expected a number of at most 65535, found 70000'],
    [{ ratio: 1 }, 'option "ratio": expected a number less than 1, found 1'],
    [{ dryRun: 'yes' }, 'option "dryRun": expected true or false, found a string'],
    [{ list: 'a' }, 'option "list": expected an array, found a string'],
    [{ list: [] }, 'option "list": expected an array that is not empty, found an empty array'],
    [{ list: ['a', 'b', 'c'] }, 'option "list": expected an array of at most 2 entries, found an array of 3 entries'],
    [{ list: ['a', 2] }, 'option "list.1": expected a string, found a number'],
    [{ code: 'a' }, 'option "code": expected a string of at least 2 characters, found "a"'],
    [{ nested: { wait: -1 } }, 'option "nested.wait": expected a number of milliseconds greater than 0, found -1'],
    [
      { nested: { wait: '15s' } },
      'option "nested.wait": expected a number of milliseconds greater than 0, found a string',
    ],
    [{ nested: 5 }, 'option "nested": expected an object, found a number'],
    [{ debounce: Infinity }, 'option "debounce": expected a finite number of milliseconds, found Infinity'],
    [{ debounce: -1 }, 'option "debounce": expected a number of milliseconds of at least 0, found -1'],
    [{ onError: true }, 'option "onError": expected a function, found true'],
    [{ pathOrList: 5 }, 'option "pathOrList": expected a string, or an array, found a number'],
    [{ pathOrList: [{ name: 1 }] }, 'option "pathOrList": 0.name: expected a string'],
    [{ rule: { type: 'c' } }, 'option "rule.type": expected one of "a", "b", found "c"'],
    [{ record: { a: 'b' } }, 'option "record.a": expected a whole number, found a string'],
    [{ nmae: 'a' }, 'unknown option "nmae": use only name, level, '],
    [{ nested: { wait: 1, a: 1, b: 2 } }, 'unknown options "nested.a", "nested.b": use only wait'],
    [
      { namespace: 'A_b' },
      'option "namespace": expected a namespace, which is at most 63 lower case letters, digits and "-", and begins and ends with a letter or digit, found "A_b"',
    ],
    [
      { namespace: 'a'.repeat(65) },
      'option "namespace": expected a namespace, which is at most 63 lower case letters, digits and "-", and begins and ends with a letter or digit, found a string of 65 characters',
    ],
    [{ labelKey: 'a/b/c' }, 'option "labelKey": expected a label key, which is at most 63 letters,'],
    [{ labelValue: '-' }, 'option "labelValue": expected a label value, which is at most 63 letters,'],
    [{ dataKey: '..a' }, 'option "dataKey": expected a key of a Secret, which is at most 253 letters,'],
    [{ labelSelector: 'a=b=c' }, 'option "labelSelector": label selector "a=b=c": expected "," or the end, found "="'],
    [{ labelSelector: 5 }, 'option "labelSelector": expected a label selector such as "env=prod", found a number'],
  ])('describes the fault of %j', (options, message) => {
    expect(messageOf({ name: 'a', ...options })).toContain(`make: ${message}`);
  });

  it.each([
    { labelKey: 'example.com/name', labelValue: 'A_b.c', dataKey: '.dockerconfigjson', namespace: 'a-1' },
    { labelSelector: 'a=b,!c,d in (e,f),g>1,h<2' },
    { labelSelector: '' },
  ])('accepts %j', (options) => {
    expect(messageOf({ name: 'a', ...options })).toBe('accepted');
  });

  it('names every wrong option', () => {
    expect(messageOf({ name: '', count: -1 })).toBe(
      'make: option "name": expected a string that is not empty, found ""; option "count": expected a number greater than 0, found -1',
    );
  });

  it.each([
    [
      'a string in a wrong place',
      { onError: 'hunter2', nested: 'hunter2', count: 'hunter2', pathOrList: { a: 'hunter2' } },
    ],
    ['a long string', { level: 'hunter2'.repeat(100) }],
    ['a string of several lines', { level: 'hunter2\nhunter2' }],
  ])('does not repeat %s', (_, options) => {
    expect(messageOf({ name: 'a', ...options })).not.toContain('hunter2');
  });

  it('truncates a long message', () => {
    const unknown = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`option-${index}`, 1]));
    expect(Buffer.byteLength(messageOf({ name: 'a', ...unknown }))).toBe(1_024);
  });
});
