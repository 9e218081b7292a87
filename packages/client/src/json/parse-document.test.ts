import { describe, expect, it } from '@jest/globals';
import { DocumentError } from './document-error.ts';
import { parseDocument, parseInTurn } from './parse-document.ts';

function problemOf(text: string): string | undefined {
  try {
    parseDocument(text);
    return undefined;
  } catch (error) {
    if (error instanceof DocumentError) return error.message;
    throw error;
  }
}

describe('parseDocument', () => {
  it('returns the same as JSON.parse', () => {
    const value = { text: 'a"b\\,[{:'.repeat(10_000), list: [1, [2, { a: null }]] };
    expect(parseDocument(JSON.stringify(value))).toEqual(value);
  });

  it('reports that a text is not JSON without quoting it', () => {
    expect(problemOf('{"password":"c2VjcmV0"')).toBe('is not JSON');
  });

  const tooCostly = 'has more than 1800000 values, where a string counts as 8 and a field as 16';
  it.each([
    ['values', `[${'0,'.repeat(1_800_000)}0]`, tooCostly],
    ['empty objects', `[${'{},'.repeat(900_000)}{}]`, tooCostly],
    ['short strings', `[${'"a",'.repeat(200_000)}0]`, tooCostly],
    ['fields', `{${Array.from({ length: 106_000 }, (_, i) => `"${i}":0`).join(',')}}`, tooCostly],
    ['fields with strings', `{${'"a":"b",'.repeat(72_000)}"a":0}`, tooCostly],
    ['levels', '['.repeat(10_001) + ']'.repeat(10_001), 'is nested more than 10000 levels deep'],
    ['levels of objects', '{"a":'.repeat(10_001), 'is nested more than 10000 levels deep'],
  ])('S-10: refuses a document with too many %s', (_, text, problem) => {
    expect(problemOf(text)).toBe(problem);
  });

  it('S-10: accepts every object that fits into etcd', () => {
    for (const tiny of ['0,', '{},', '"f:replicas":{},', '"abcde",', '"abcdefghij":"klmnop",']) {
      const count = Math.floor((1.5 * 1024 * 1024) / tiny.length);
      const body = tiny.repeat(count).slice(0, -1);
      expect(problemOf(tiny.includes(':') ? `{${body}}` : `[${body}]`)).toBeUndefined();
    }
    expect(() => parseDocument('['.repeat(10_000) + ']'.repeat(10_000))).not.toThrow();
  });

  it('S-10: does not count characters inside strings', () => {
    expect(parseDocument(JSON.stringify('{"a":[,'.repeat(1_000_000)))).toHaveLength(7_000_000);
  });
});

describe('parseInTurn', () => {
  const costly = JSON.stringify(Array.from({ length: 190_000 }, (_, index) => index.toString(36)));
  /** Number of turns of the event loop that `work` takes. */
  const turnsOf = async (work: () => Promise<unknown>): Promise<number> => {
    let turns = 0;
    let counting = setImmediate(function turn() {
      turns += 1;
      counting = setImmediate(turn);
    });
    await work();
    clearImmediate(counting);
    return turns;
  };

  it('S-10: yields to the event loop between large documents that arrive together', async () => {
    const documents = Array.from({ length: 4 }, () => costly);
    expect(await turnsOf(() => Promise.all(documents.map((text) => parseInTurn(text))))).toBeGreaterThanOrEqual(3);
  });

  it('parses a small document at once while large ones wait', async () => {
    let isParsed = false;
    const large = parseInTurn(costly);
    const waiting = parseInTurn(costly).then(() => isParsed);
    expect(await parseInTurn('{"a":1}')).toEqual({ a: 1 });
    isParsed = true;
    await large;
    expect(await waiting).toBe(true);
  });
});
