import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { complete, Turn } from '../turn.ts';
import { duplicateFields } from './duplicate-fields.ts';
import { readLongJson } from './long-json.ts';
import { numberText } from './number-texts.ts';

const read = (text: string) => complete(readLongJson(text, new Turn()));

describe('a long JSON text', () => {
  it('K-30: is read as JSON.parse reads it', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(undefined, 1, '\t'), (json, space) => {
        const text = JSON.stringify(JSON.parse(json), undefined, space);
        expect(read(text)?.value).toEqual(JSON.parse(text));
        expect(JSON.stringify(read(text)?.value)).toBe(JSON.stringify(JSON.parse(text)));
      }),
    );
  });

  it('K-30: is refused where JSON.parse refuses it', () => {
    const characters = fc.constantFrom(...'{}[],:" 10.e-\\untrue\n'.split(''), '"a"', 'null', '{"a":', '[1,');
    fc.assert(
      fc.property(fc.array(characters, { maxLength: 12 }), (parts) => {
        const text = parts.join('');
        let isValid = true;
        try {
          JSON.parse(text);
        } catch {
          isValid = false;
        }
        expect([text, read(text) !== undefined]).toEqual([text, isValid]);
      }),
      { numRuns: 2000 },
    );
    expect(read('['.repeat(501) + ']'.repeat(501))).toBeUndefined();
    expect(read('['.repeat(500) + ']'.repeat(500))).toBeDefined();
  });

  it('K-15: reports its duplicate fields, how numbers are written, and integers that are not exact', () => {
    const text =
      '{"a":{"b":1,"c":[{"d":"}","d":2}],"b":1.0},"a":{"b":3},"__proto__":1,"e\\n":1,"e\\n":9007199254740993}';
    const found = read(text);
    expect(found?.duplicates).toEqual(duplicateFields(text));
    expect(found?.duplicates).toContain('a.c[0].d');
    expect(found?.inexact?.message).toContain('9007199254740993');
    expect(Object.keys(found?.value as object)).toContain('__proto__');
    const { a } = read('{"a":[1e0,10,-0.5,1.50]}')?.value as { a: object };
    expect(['0', '1', '2', '3'].map((key) => numberText(a, key))).toEqual(['1e0', undefined, undefined, '1.50']);
  });
});
