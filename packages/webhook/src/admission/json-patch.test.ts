import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { applyJsonPatch } from './apply-json-patch.ts';
import { jsonPatch } from './json-patch.ts';

/** Values of JSON, and integers that a number cannot hold. */
const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, false, 0, 1, '', 'a', 'b', 2n ** 63n - 1n, -(2n ** 60n)),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c', 'a/b', 'm~n', '__proto__'), tie('value'), { maxKeys: 4 }),
  ),
})).value;

describe('jsonPatch', () => {
  it('WH-1: returns a patch whose result is the changed object', () => {
    fc.assert(
      fc.property(json, json, (before, after) => {
        expect(applyJsonPatch(before, jsonPatch(before, after))).toEqual(after);
        expect(jsonPatch(after, structuredClone(after))).toEqual([]);
      }),
      { numRuns: 500, seed: 1 },
    );
  });

  it('WH-1: patches the changed fields only, and keeps large integers exact', () => {
    const before = {
      metadata: { labels: { a: '1' } },
      spec: { huge: 9223372036854775807n, sizes: [1, 2, 3], gone: 1 },
    };
    const after = {
      metadata: { labels: { a: '1', 'x/y~z': '2' } },
      spec: { huge: 9223372036854775807n, sizes: [1, 9, 2, 3], gone: undefined, count: 9223372036854775806n },
    };
    expect(jsonPatch(before, after)).toEqual([
      { op: 'add', path: '/metadata/labels/x~1y~0z', value: '2' },
      { op: 'remove', path: '/spec/gone' },
      { op: 'add', path: '/spec/sizes/1', value: 9 },
      { op: 'add', path: '/spec/count', value: 9223372036854775806n },
    ]);
  });

  it.each([
    ['a date', new Date(0), 'found Date'],
    ['a number that is not finite', Number.NaN, 'found number NaN'],
    ['a map', new Map(), 'found Map'],
    ['a function', () => 1, 'found function'],
  ])('WH-1: refuses %s, which JSON cannot hold, and names the field', (_, value, found) => {
    expect(() => jsonPatch({ spec: {} }, { spec: { a: { b: value } } })).toThrow(
      `/spec/a/b: expected a value of JSON, ${found}`,
    );
  });
});
