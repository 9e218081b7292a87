import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DocumentError } from './document-error.ts';
import { parseJson } from './json.ts';
import { SlicedDocument, type SlicedDocumentOptions } from './sliced-document.ts';

fc.configureGlobal({ seed: 1 });

const MIB = 1024 * 1024;

function read(chunks: Iterable<Uint8Array>, options: Partial<SlicedDocumentOptions> = {}): unknown {
  const document = new SlicedDocument({ arrays: new Set(['items']), maxElement: { bytes: 8 * MIB }, ...options });
  for (const chunk of chunks) document.push(chunk);
  return document.end();
}

function cut(text: string, size: number): Uint8Array[] {
  const bytes = Buffer.from(text);
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.subarray(i * size, (i + 1) * size));
}

function outcomeOf(parse: () => unknown): unknown {
  try {
    return parse();
  } catch (error) {
    if (error instanceof DocumentError || error instanceof SyntaxError) return 'refused';
    throw error;
  }
}

function problemOf(parse: () => unknown): string {
  try {
    parse();
  } catch (error) {
    if (error instanceof DocumentError) return error.message;
    throw error;
  }
  throw new Error('expected a DocumentError');
}

const list = (items: string) => `{"kind":"List","metadata":{"resourceVersion":"1"},"items":[${items}]}`;

describe('SlicedDocument', () => {
  it.each([
    list(''),
    list(' '),
    list('1,"]",[[],{}],{"items":[1]},null'),
    list(String.raw`"\\","\"","]\\\"[","🐢"`),
    '{"items":null}',
    '{"items":{"items":[1,2]}}',
    '{ "items" : [ 1 , 2 ] , "metadata" : {"x":[1,[2]]} }',
    '{"other":[1,2],"items":[3]}',
    '{"items":[1],"items":[2]}',
    String.raw`{"x\"items":[1],"items":[2]}`,
    '{"__proto__":{"items":[1]},"items":[{"__proto__":[1]}]}',
    '7',
    '"items"',
    '[[1],["items",[2]]]',
  ])('F-11: returns the same as JSON.parse for %s, for any chunks', (text) => {
    for (let size = 1; size <= text.length; size += 1) expect(read(cut(text, size))).toEqual(JSON.parse(text));
  });

  it.each([
    '',
    '{',
    '{"items":[',
    '{"items":[1',
    '{"items":[1,]}',
    '{"items":[,1]}',
    '{"items":[1}',
    '{"items":[1]]',
    list('{]'),
    `${list('1')}x`,
  ])('F-11: refuses %s, as JSON.parse does', (text) => {
    expect(problemOf(() => read([Buffer.from(text)]))).toBe('is not JSON');
    expect(outcomeOf(() => JSON.parse(text))).toBe('refused');
  });

  it('F-11: equals parseJson for any bytes and any chunks', () => {
    const text = fc.oneof(
      fc.json(),
      fc.array(fc.jsonValue()).map((items) => JSON.stringify({ kind: 'List', items, metadata: {} })),
      fc
        .array(fc.constantFrom('{', '}', '[', ']', '"', ',', ':', '\\', 'items', '"items":[', ' ', '1'))
        .map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 64 }), (each, size) => {
        expect(outcomeOf(() => read(cut(each, size)))).toEqual(outcomeOf(() => parseJson(each)));
      }),
      { numRuns: 1_000 },
    );
  });

  it('S-10: parses a large list in slices, and passes each slice on', () => {
    const items = Array.from({ length: 5_000 }, (_, index) => ({ index, text: 'é'.repeat(100) }));
    const text = JSON.stringify({ metadata: { continue: 'next' }, items });
    const slices: number[] = [];
    const begins: string[] = [];
    const parsed = read(cut(text, 10_000), {
      onBegin: (begin) => begins.push(begin),
      onElements: (elements) => slices.push(elements.length),
    });
    expect(parsed).toEqual(JSON.parse(text));
    expect(begins).toEqual(['{"metadata":{"continue":"next"},"items":[']);
    expect(slices.length).toBeGreaterThanOrEqual(4);
    expect(Math.max(...slices)).toBeLessThan(2_000);
  });

  it('S-10: refuses an element that is too large, before it is complete', () => {
    const document = new SlicedDocument({
      arrays: new Set(['items']),
      maxElement: { bytes: MIB, option: 'limits.object' },
    });
    document.push(Buffer.from('{"items":["small","'));
    const rest = Buffer.alloc(MIB / 2, 'x');
    document.push(rest);
    expect(
      problemOf(() => {
        for (;;) document.push(rest);
      }),
    ).toBe(`has an element of more than ${MIB} bytes: raise limits.object if elements are that large`);
  });

  it('S-10: refuses an envelope that is too large', () => {
    const long = `{"a":[],${'"b":[1],'.repeat(200_000)}`;
    expect(problemOf(() => read(cut(long, 1_000)))).toBe(`has more than ${MIB} bytes beside its elements`);
  });

  const tooCostly = 'has more than 1800000 values, where a string counts as 8 and a field as 16';
  it.each([
    ['values', '0,'.repeat(1_900_000), tooCostly],
    ['fields', '{"a":1},'.repeat(120_000), tooCostly],
    ['short strings', '"a",'.repeat(210_000), tooCostly],
    ['levels', '['.repeat(21_000), 'is nested more than 10000 levels deep'],
  ])('S-10: refuses an element of too many %s, before it is complete', (_, element, problem) => {
    const document = new SlicedDocument({ arrays: new Set(['items']), maxElement: { bytes: 8 * MIB } });
    document.push(Buffer.from('{"items":[{},['));
    expect(problemOf(() => document.push(Buffer.from(element)))).toBe(`has an element that ${problem}`);
  });
});
