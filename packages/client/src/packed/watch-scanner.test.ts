import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { kubernetesObjectText, maybeMutated, objectText, valueText } from './json.fixture.ts';
import { flagsOf, unpacked } from './unpacked.fixture.ts';
import { cut, decodedWatch, MAX_LINE, scannedWatch, watchOutcome } from './oracle.fixture.ts';
import { WatchScanner } from './watch-scanner.ts';

fc.configureGlobal({ seed: 1 });

const MIB = 1024 * 1024;
const line = (type: string, object: unknown) => `${JSON.stringify({ type, object })}\n`;
const configMap = (name: string, more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default', uid: name, resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' },
  ...more,
});
const bookmark = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { resourceVersion: '7', creationTimestamp: null } };

const eventText = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(fc.constantFrom('ADDED', 'MODIFIED', 'DELETED'), kubernetesObjectText)
      .map(([type, object]) => `{"type":"${type}","object":${object}}`),
  },
  objectText(
    fc
      .tuple(fc.constantFrom('"ADDED"', '"DELETED"', '"BOOKMARK"', '"ERROR"', '"x"', '7'), kubernetesObjectText)
      .map(([type, object]) => [
        ['"object"', object],
        ['"t\\u0079pe"', type],
      ]),
  ),
  objectText(fc.array(fc.tuple(fc.constantFrom('"type"', '"object"'), kubernetesObjectText))),
  fc.constantFrom(line('BOOKMARK', bookmark).trim(), line('ERROR', { code: 410 }).trim(), '', ' ', '\ufeff', '\r'),
  valueText,
);

const stream = fc
  .array(maybeMutated(eventText), { maxLength: 5 })
  .map((lines) => Buffer.concat(lines.flatMap((each) => [each, Buffer.from('\n')])));

describe('WatchScanner', () => {
  it('PC-1: returns what a parser returns for arbitrary and mutated lines, in the same order', () => {
    fc.assert(
      fc.property(stream, (bytes) => {
        expect(watchOutcome(() => scannedWatch([bytes]))).toEqual(watchOutcome(() => decodedWatch(bytes)));
      }),
      { numRuns: 5_000 },
    );
  });

  it('PC-1: the result does not depend on how bytes are split into chunks', () => {
    fc.assert(
      fc.property(stream, fc.integer({ min: 1, max: 64 }), (bytes, size) => {
        expect(watchOutcome(() => scannedWatch(cut(bytes, size)))).toEqual(watchOutcome(() => scannedWatch([bytes])));
      }),
      { numRuns: 1_000 },
    );
  });

  it('PC-1: returns the same for chunks that end at any byte', () => {
    const bytes = Buffer.from(
      line('ADDED', configMap('a', { data: { text: 'ä€😀 \\n' } })) +
        line('BOOKMARK', bookmark) +
        line('DELETED', configMap('b')),
    );
    const expected = decodedWatch(bytes);
    for (let at = 0; at <= bytes.length; at += 1) {
      expect(scannedWatch([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(expected);
    }
  });

  it('PC-1: returns objects that follow one another as one batch', () => {
    const objects = [configMap('a'), configMap('b'), configMap('c')];
    const [first, second] = objects.map((object) => line('MODIFIED', object));
    const scanner = new WatchScanner({ maxLine: MAX_LINE });
    const items = scanner.push(
      Buffer.from(`${first}${second}${line('BOOKMARK', bookmark)}${line('ADDED', objects[2])}`),
    );
    expect(items.map(({ type }) => type)).toEqual(['objects', 'BOOKMARK', 'objects']);
    const found = items.map((item) =>
      item.type === 'objects' ? unpacked(item.batch).map(({ object }) => object) : [],
    );
    expect(found).toEqual([[objects[0], objects[1]], [], [objects[2]]]);
  });

  it('PC-1: flags escaped texts, repeated managedFields and long integers', () => {
    const flags = (object: string) => {
      const [item] = new WatchScanner({ maxLine: MAX_LINE }).push(Buffer.from(`{"type":"ADDED","object":${object}}\n`));
      if (item?.type !== 'objects') throw new Error('expected an object');
      return flagsOf(item.batch, 0);
    };
    expect(flags('{"metadata":{"name":"a","managedFields":[]}}')).toEqual([]);
    expect(flags('{"metadata":{"name":"\\u0061"}}')).toEqual(['unescaped']);
    expect(flags('{"metadata":{"name":"a","managedFields":[],"managedFields":[]}}')).toEqual(['repeatedManagedFields']);
    expect(flags('{"metadata":{"name":"a","m\\u0061nagedFields":[]}}')).toEqual(['repeatedManagedFields']);
    expect(flags('{"metadata":{"name":"a"},"x":9007199254740993}')).toEqual(['longInteger']);
    expect(flags('{"x":9007199254740993,"metadata":{"name":"é"}}')).toEqual(['longInteger']);
  });

  it('S-10: skips blank lines without a look at each of them', () => {
    const event = line('ADDED', configMap('a'));
    const blank = [Buffer.alloc(64 * 1024, '\n'), Buffer.alloc(64 * 1024, '\r\n'), Buffer.alloc(64 * 1024, ' \t\n')];
    const bytes = Buffer.concat(blank.flatMap((each) => [each, Buffer.from(event)]));
    const toText = jest.spyOn(Buffer.prototype, 'toString');
    const scanner = new WatchScanner({ maxLine: MAX_LINE });
    const items = [scanner.push(bytes), scanner.push(...blank)].flat();
    const texts = toText.mock.calls.length;
    toText.mockRestore();
    expect(texts).toBeLessThan(10);
    expect(items.map((item) => (item.type === 'objects' ? item.batch.length : item.type))).toEqual([3]);
  });

  it('S-10: refuses a line that is too long, before it is complete', () => {
    const scanner = new WatchScanner({ maxLine: MAX_LINE });
    const first = Buffer.from(line('ADDED', configMap('a')));
    scanner.push(first);
    const chunk = Buffer.alloc(MIB, 'canary');
    for (let i = 0; i < 8; i += 1) scanner.push(chunk);
    expect(() => scanner.push(chunk)).toThrow(
      `a watch line of more than 8388608 bytes begins at byte ${first.length}: raise limits.object if objects are that large`,
    );
  });

  it('S-10: refuses lines that are too long within one chunk', () => {
    const bytes = Buffer.from(line('ADDED', configMap('a')) + line('ADDED', configMap('b', { data: 'x'.repeat(200) })));
    expect(() => scannedWatch([bytes], 300)).toThrow(/^a watch line of more than 300 bytes begins at byte 1\d\d:/);
  });

  it.each([
    ['values', `{"metadata":{"name":"a"},"x":[0${',0'.repeat(1_900_000)}]}`],
    ['levels', `{"metadata":{"name":"a"},"x":${'['.repeat(10_000)}${']'.repeat(10_000)}}`],
    ['large integers', `{"metadata":{"name":"a"},"x":[1${',9007199254740993'.repeat(20_001)}]}`],
  ])('S-10: refuses an object of too many %s with the message of the parser', (_, object) => {
    const bytes = Buffer.from(`{"type":"ADDED","object":${object}}\n`);
    const problem = watchOutcome(() => scannedWatch([bytes]));
    expect(problem).toMatch(/^a watch line of \d+ characters {2}(has more|is nested)/);
    expect(problem).toEqual(watchOutcome(() => decodedWatch(bytes)));
  });

  it('S-10: scans a line of 5 MB in small pieces in linear time', () => {
    const large = line('ADDED', configMap('large', { data: { text: 'x'.repeat(5 * MIB) } }));
    const names = scannedWatch(cut(Buffer.from(large + line('ADDED', configMap('after'))), 512));
    expect(names).toHaveLength(2);
  });
});
