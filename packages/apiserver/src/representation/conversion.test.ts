import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { Paused } from '../turn.ts';
import { complete, PAUSE } from '../turn.ts';
import { indentJson } from './indented-json.ts';
import { readJson } from './json-reader.ts';
import { yamlParts } from './yaml-text.ts';

const VALUES: readonly unknown[] = [
  {},
  [],
  [[], {}, [{}], { a: [] }],
  { a: 'x"\\', 'b"{': '[1,2]:', c: [1.5e-7, true, null, 'ü\u2028'], d: { e: { f: '\\"' } } },
  JSON.parse('{"__proto__":{"a":1},"items":[{"a":1},{"b":[2,[3]]}]}'),
  'text',
];

/** Splits JSON before and after its punctuation, so that no scalar is split. */
const split = (value: unknown): Buffer[] =>
  [...JSON.stringify(value).matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^{}[\],:"]+/gu)].map(([part]) => Buffer.from(part));

/** Makes each look at the clock take one millisecond. */
function slowClock(): void {
  let now = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => now++);
}

function pausesOf(work: Paused<unknown>): number {
  let pauses = 0;
  for (let step = work.next(); !step.done; step = work.next()) if (step.value === PAUSE) pauses += 1;
  return pauses;
}

describe('conversion of responses', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('K-24: reads JSON in parts as JSON.parse does', () => {
    for (const value of VALUES) {
      expect(complete(readJson(split(value)))).toEqual(value);
      expect(complete(readJson([Buffer.from(JSON.stringify(value, null, 1))]))).toEqual(value);
    }
  });

  it('K-24: indents JSON in parts as JSON.stringify does', () => {
    for (const value of VALUES) {
      const expected = JSON.stringify(value, null, 2);
      expect(Buffer.concat(complete(indentJson(split(value)))).toString()).toBe(expected);
      expect(Buffer.concat(complete(indentJson([Buffer.from(JSON.stringify(value))]))).toString()).toBe(expected);
    }
  });

  it('K-30: pauses in proportion to the size of an object', () => {
    const data = Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`key-${index}`, 'x'.repeat(20)]));
    const json = Buffer.from(JSON.stringify({ data }));
    slowClock();
    expect(pausesOf(readJson([json]))).toBeGreaterThan(1000);
    expect(pausesOf(yamlParts({ data }))).toBeGreaterThan(500);
    expect(pausesOf(indentJson(Array.from({ length: 100 }, () => json)))).toBeGreaterThan(100);
  });
});
