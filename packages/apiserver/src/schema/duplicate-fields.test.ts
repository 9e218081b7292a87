import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { duplicateFields } from './duplicate-fields.ts';

fc.configureGlobal({ seed: 1 });

describe('duplicate fields', () => {
  it('K-15: returns the path of each duplicate field', () => {
    const text = '{"a":1,"b":[{"c":1},{"c":1,"c":2}],"a":{"d":"x","e":{"d":1,"d":2,"d":3}}}';
    expect(duplicateFields(text)).toEqual(['b[1].c', 'a', 'a.e.d']);
  });

  it('K-15: ignores strings that look like structure', () => {
    expect(duplicateFields('{"a":"\\"a\\":1,{","b":"}","\\u0061b":1,"c":["a","a",":"]}')).toEqual([]);
    expect(duplicateFields('{"ab":1,"\\u0061b":2}')).toEqual(['ab']);
  });

  it('K-15: finds nothing in serialized JSON', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => duplicateFields(JSON.stringify(value)).length === 0));
  });
});
