import { describe, expect, it } from '@jest/globals';
import { mergedJson, onlyAt, withValueAt } from './merged-json.ts';

describe('JSON with duplicate fields', () => {
  it('K-15: merges two objects of one field, and replaces other values, as Go decodes a struct', () => {
    const { value, replaced } = mergedJson('{"a":{"b":1,"c":[{"d":"}"}]},"e":5,"a":{"b":2},"e":{"f":null}}');
    expect(value).toEqual({ a: { b: 2, c: [{ d: '}' }] }, e: { f: null } });
    expect(replaced).toEqual([
      { path: ['a', 'b'], value: 1 },
      { path: ['e'], value: 5 },
    ]);
  });

  it('K-15: tells apart the values of fields that are named like the prototype of an object', () => {
    const { value } = mergedJson('{"__proto__":{"a":1},"__proto__":{"b":2}}');
    expect(JSON.stringify(value)).toBe('{"__proto__":{"a":1,"b":2}}');
  });

  it('K-15: sets a value in a copy', () => {
    const root = { a: [{ b: 1 }, { b: 2 }] };
    expect(withValueAt(root, ['a', 1, 'b'], 3)).toEqual({ a: [{ b: 1 }, { b: 3 }] });
    expect(root).toEqual({ a: [{ b: 1 }, { b: 2 }] });
    expect(onlyAt(['a', 1, 'b'], 3)).toEqual({ a: [{ b: 3 }] });
  });
});
