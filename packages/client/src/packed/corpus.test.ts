import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { mutated } from './json.fixture.ts';
import {
  cut,
  decodedList,
  decodedWatch,
  listOutcome,
  scannedList,
  scannedWatch,
  watchOutcome,
} from './oracle.fixture.ts';

fc.configureGlobal({ seed: 1 });

/** Lists and watches that kube-apiserver sent: see `packages/envtest/src/corpus/record.fixture.ts`. */
const corpus = new URL('../../corpus/answers.json.gz', import.meta.url);
const answers = JSON.parse(gunzipSync(readFileSync(corpus)).toString('utf8')) as readonly {
  readonly path: string;
  readonly text: string;
}[];
const lists = answers.filter(({ path }) => !path.includes('watch=true'));
const watches = answers.filter(({ path }) => path.includes('watch=true'));

describe('WatchScanner', () => {
  it.each(watches)('PC-1: returns what a parser returns for $path', ({ text }) => {
    const bytes = Buffer.from(text);
    const expected = decodedWatch(bytes);
    expect(expected.length).toBeGreaterThan(5);
    for (const size of [1, 7, 1_000, bytes.length]) expect(scannedWatch(cut(bytes, size))).toEqual(expected);
  });

  it.each(watches)('PC-1: returns what a parser returns for mutations of $path', ({ text }) => {
    const line = fc.constantFrom(...text.trimEnd().split('\n'));
    fc.assert(
      fc.property(mutated(line), (bytes) => {
        expect(watchOutcome(() => scannedWatch([bytes]))).toEqual(watchOutcome(() => decodedWatch(bytes)));
      }),
      { numRuns: 300 },
    );
  });
});

describe('ListScanner', () => {
  it.each(lists)('PC-1: returns what a parser returns for $path', ({ text }) => {
    const bytes = Buffer.from(text);
    const expected = decodedList(bytes);
    for (const size of [1, 7, 1_000, bytes.length]) expect(scannedList(cut(bytes, size))).toEqual(expected);
  });

  it.each(lists)('PC-1: returns what a parser returns for mutations of $path', ({ text }) => {
    fc.assert(
      fc.property(mutated(fc.constant(text)), (bytes) => {
        const found = listOutcome(() => scannedList([bytes]));
        const expected = listOutcome(() => decodedList(bytes));
        // Finds an invalid item before it knows that the rest is not JSON.
        if (typeof found === 'string' && found.startsWith('items[')) expect(expected).toMatch(/^(items|not)/);
        else expect(found).toEqual(expected);
      }),
      { numRuns: 100 },
    );
  });
});
