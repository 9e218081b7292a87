import { describe, expect, it } from '@jest/globals';
import { DocumentError } from './document-error.ts';
import { parseDocument } from './parse-document.ts';

function problemOf(text: string): string {
  try {
    parseDocument(text);
  } catch (error) {
    if (error instanceof DocumentError) return error.message;
    throw error;
  }
  throw new Error('expected a DocumentError');
}

describe('parseDocument', () => {
  it('gives what JSON.parse gives', () => {
    const value = { text: 'a"b\\,[{:'.repeat(10_000), list: [1, [2, { a: null }]] };
    expect(parseDocument(JSON.stringify(value))).toEqual(value);
  });

  it('says that a text is not JSON, and quotes nothing of it', () => {
    expect(problemOf('{"password":"c2VjcmV0"')).toBe('is not JSON');
  });

  it.each([
    ['values', `[${'0,'.repeat(1_100_001)}0]`, 'has more than 1100000 values'],
    ['empty objects', `[${'{},'.repeat(600_000)}{}]`, 'has more than 1100000 values'],
    ['fields', `{${Array.from({ length: 100_001 }, (_, i) => `"${i}":0`).join(',')}}`, 'has more than 100000 fields'],
    ['levels', '['.repeat(10_001) + ']'.repeat(10_001), 'is nested more than 10000 levels deep'],
    ['levels of objects', '{"a":'.repeat(10_001), 'is nested more than 10000 levels deep'],
  ])('S-10: refuses a document with too many %s', (_, text, problem) => {
    expect(problemOf(text)).toBe(problem);
  });

  it('S-10: takes whatever fits into an object of etcd', () => {
    for (const tiny of ['0,', '{},', '"f:replicas":{},']) {
      const count = Math.floor((1.5 * 1024 * 1024) / tiny.length);
      const body = tiny.repeat(count).slice(0, -1);
      expect(() => parseDocument(tiny.startsWith('"') ? `{${body}}` : `[${body}]`)).not.toThrow();
    }
    expect(() => parseDocument('['.repeat(10_000) + ']'.repeat(10_000))).not.toThrow();
  });

  it('S-10: does not count what is within texts', () => {
    expect(parseDocument(JSON.stringify('{"a":[,'.repeat(1_000_000)))).toHaveLength(7_000_000);
  });
});
