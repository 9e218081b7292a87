import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DocumentError } from '../json/document-error.ts';
import { parseJson } from '../json/json.ts';
import { kubernetesObjectText, maybeMutated, objectText, valueText } from './json.fixture.ts';
import { ListScanner } from './list-scanner.ts';
import { ObjectShapeError } from './object-shape-error.ts';
import type { PackedBatch } from './packed-batch.ts';
import { cut, decodedList, listOutcome, scannedList } from './oracle.fixture.ts';
import { unpacked } from './unpacked.fixture.ts';

fc.configureGlobal({ seed: 1 });

const MIB = 1024 * 1024;

const listText = (items: fc.Arbitrary<string>) =>
  objectText(
    fc
      .tuple(
        fc.constantFrom('{"resourceVersion":"1"}', '{"resourceVersion":"1","continue":"x"}', '{}', '7'),
        items,
        fc.constantFrom('"items"', '"items"', '"items"', '"it\\u0065ms"', '"other"'),
        fc.array(fc.tuple(fc.constantFrom('"kind"', '"apiVersion"', '"x"', '"itemS"'), valueText), { maxLength: 2 }),
        fc.boolean(),
      )
      .map(([metadata, array, name, more, isFirst]) => {
        const fields: [string, string][] = [['"metadata"', metadata], ...more];
        return fields.toSpliced(isFirst ? 0 : fields.length, 0, [name, array]);
      }),
  );

const arrayOf = (element: fc.Arbitrary<string>) =>
  fc
    .tuple(fc.array(element, { maxLength: 4 }), fc.constantFrom('', ' ', '\n'))
    .map(([items, gap]) => `[${gap}${items.join(`${gap},${gap}`)}${gap}]`);

const list = fc.oneof(
  { weight: 8, arbitrary: listText(arrayOf(kubernetesObjectText)) },
  listText(arrayOf(valueText)),
  listText(valueText),
  valueText,
);

const small = (items: string) => Buffer.from(`{"kind":"List","metadata":{"resourceVersion":"1"},"items":[${items}]}`);
const item = (name: string) =>
  JSON.stringify({ metadata: { name, uid: name, resourceVersion: '1' }, data: { é: '€😀' } });

function problemOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof DocumentError || error instanceof ObjectShapeError) return error.message;
    throw error;
  }
  throw new Error('expected an error');
}

describe('ListScanner', () => {
  it('PC-1: returns what a parser returns for arbitrary and mutated lists', () => {
    fc.assert(
      fc.property(maybeMutated(list), (bytes) => {
        const found = listOutcome(() => scannedList([bytes]));
        // Finds a wrong item before it knows that the rest is not JSON.
        if (typeof found === 'string' && found.startsWith('items['))
          expect(listOutcome(() => decodedList(bytes))).toMatch(/^(items|not)/);
        else expect(found).toEqual(listOutcome(() => decodedList(bytes)));
      }),
      { numRuns: 5_000 },
    );
  });

  it('PC-1: the result does not depend on how bytes are split into chunks', () => {
    fc.assert(
      fc.property(maybeMutated(list), fc.integer({ min: 1, max: 64 }), (bytes, size) => {
        expect(listOutcome(() => scannedList(cut(bytes, size)))).toEqual(listOutcome(() => scannedList([bytes])));
      }),
      { numRuns: 1_000 },
    );
  });

  it('PC-1: returns the same for chunks that end at any byte', () => {
    const bytes = small([item('a'), item('b'), item('c')].join(' , '));
    const whole = decodedList(bytes);
    for (let at = 0; at <= bytes.length; at += 1) {
      expect(scannedList([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(whole);
    }
    expect(scannedList(cut(bytes, 1))).toEqual(whole);
  });

  it.each(['{"metadata":{},"items":null}', '{"items":null,"metadata":{}}', '{"metadata":{},"items":[ ]}'])(
    'PC-1: %s is an empty list',
    (text) => {
      expect(scannedList([Buffer.from(text)])).toEqual({ metadata: {}, objects: [] });
    },
  );

  it.each([
    ['[]', 'metadata is missing'],
    ['7', 'the document is a number, expected an object'],
    ['{"metadata":{}}', 'items is missing'],
    ['{"metadata":{},"items":{}}', 'items is an object, expected an array'],
    ['{"items":[{"metadata":{"name":"a"}},{"metadata":{}}]}', 'items[1].metadata.name is missing'],
    ['{"items":[7]}', 'items[0] is a number, expected an object'],
    ['{"items":[],"items":null}', 'has more than one field named items'],
    ['{"items":[],"x":[}', 'is not JSON'],
    ['{"items":[1', 'is not JSON'],
    ['', 'is not JSON'],
  ])('PC-1: refuses %s: %s', (text, problem) => {
    expect(problemOf(() => scannedList([Buffer.from(text)]))).toBe(problem);
  });

  it('PC-1: passes the token of the next page on before the objects are complete', () => {
    const tokens: string[] = [];
    const scanner = new ListScanner({ maxItem: MIB, onContinue: (token) => tokens.push(token) });
    scanner.push(Buffer.from('{"metadata":{"continue":"abc=="},"items":[{"metadata"'));
    expect(tokens).toEqual(['abc==']);
  });

  it('PC-1: the receiver of a token may scan another list', () => {
    const onContinue = () => expect(scannedList([small(item('b'))]).objects).toHaveLength(1);
    const scanner = new ListScanner({ maxItem: MIB, onContinue });
    const batch = scanner.push(Buffer.from(`{"metadata":{"continue":"x"},"items":[${item('a')}]}`));
    expect(unpacked(batch as PackedBatch)).toMatchObject([{ object: parseJson(item('a')) }]);
    expect.assertions(2);
  });

  it('PC-1: returns each object as soon as it is complete', () => {
    const scanner = new ListScanner({ maxItem: MIB });
    const bytes = small([item('a'), item('b')].join(','));
    const end = bytes.indexOf(item('b'));
    expect(scanner.push(bytes.subarray(0, end))?.length).toBe(1);
    expect(scanner.push(bytes.subarray(end, -2))?.length).toBe(1);
    expect(scanner.push(bytes.subarray(-2))).toBeUndefined();
    expect(scanner.end().batch).toBeUndefined();
  });

  it('S-10: refuses an item that is too large, before it is complete', () => {
    const scanner = new ListScanner({ maxItem: MIB });
    scanner.push(Buffer.from('{"items":[{"metadata":{"name":"a"}},{"x":"'));
    const rest = Buffer.alloc(MIB / 2, 'x');
    scanner.push(rest);
    expect(problemOf(() => scanner.push(rest))).toBe(
      `has an element of more than ${MIB} bytes: raise limits.object if objects are that large`,
    );
  });

  it('S-10: does not refuse items that are small each', () => {
    const items = Array.from({ length: 100 }, (_, index) => item(`${index}-${'x'.repeat(400)}`));
    expect(scannedList(cut(small(items.join(',')), 1_000), { maxItem: 1_000 }).objects).toHaveLength(100);
  });

  it('S-10: refuses other fields that are too large', () => {
    const long = Buffer.from(`{"a":[],${'"b":[1],'.repeat(200_000)}`);
    const problem = `has more than ${MIB} bytes beside its elements`;
    expect(problemOf(() => scannedList(cut(long, 1_000)))).toBe(problem);
    expect(problemOf(() => scannedList(cut(Buffer.from(`{"a":"${'x'.repeat(2 * MIB)}`), 1_000)))).toBe(problem);
  });

  const tooCostly = 'has more than 1800000 values, where a string counts as 8 and a field as 16';
  it.each([
    ['values', '0,'.repeat(1_900_000), tooCostly],
    ['fields', '{"a":1},'.repeat(120_000), tooCostly],
    ['short strings', '"a",'.repeat(210_000), tooCostly],
    ['levels', '['.repeat(21_000), 'is nested more than 10000 levels deep'],
  ])('S-10: refuses an item of too many %s, before it is complete', (_, element, problem) => {
    const scanner = new ListScanner({ maxItem: 8 * MIB });
    scanner.push(Buffer.from('{"items":[{"metadata":{"name":"a"}},['));
    expect(problemOf(() => scanner.push(Buffer.from(element)))).toBe(`has an element that ${problem}`);
  });
});
