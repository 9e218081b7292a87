import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DocumentError } from './document-error.ts';
import { formatJson, parseJson } from './json.ts';

describe('parseJson', () => {
  it.each([
    ['9007199254740991', 9_007_199_254_740_991],
    ['-9007199254740991', -9_007_199_254_740_991],
    ['9007199254740992', 9_007_199_254_740_992n],
    ['-9007199254740993', -9_007_199_254_740_993n],
    ['9223372036854775807', 9_223_372_036_854_775_807n],
    ['-9223372036854775808', -9_223_372_036_854_775_808n],
    ['9223372036854775808', 9_223_372_036_854_775_808],
    ['9007199254740993.5', 9_007_199_254_740_994],
    ['9007199254740993e2', 900_719_925_474_099_300],
    ['0.1234567890123456789', 0.123_456_789_012_345_68],
  ])('K-32: reads %s as %p', (text, value) => {
    expect(parseJson(text)).toBe(value);
    expect(parseJson(`{"a": [ ${text} ,1], "b":${text}}`)).toEqual({ a: [value, 1], b: value });
  });

  it('K-32: reads a large integer anywhere in an object, and does not change strings and names', () => {
    const text = '{"9007199254740993":"9007199254740993","__proto__":9007199254740993,"a\\"b":[[-9007199254740993]]}';
    const value = parseJson(text) as object;
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.entries(value)).toEqual([
      ['9007199254740993', '9007199254740993'],
      ['__proto__', 9_007_199_254_740_993n],
      ['a"b', [[-9_007_199_254_740_993n]]],
    ]);
    expect(formatJson(value)).toBe(text);
  });

  it.each([
    '{9007199254740993:1}',
    '{9007199254740993 :1}',
    '[09007199254740993]',
    '[--9007199254740993]',
    '[9007199254740993 9007199254740993]',
    '[a9007199254740993]',
    '[9007199254740993a]',
    '["9007199254740993]',
  ])('refuses %s, which is not JSON', (text) => {
    expect(() => parseJson(text)).toThrow(new DocumentError('is not JSON'));
  });

  it('S-10: refuses a document with more large integers than allowed', () => {
    const listOf = (count: number): string => `[${Array.from({ length: count }, () => '9007199254740993').join(',')}]`;
    expect(parseJson(listOf(20_000))).toHaveLength(20_000);
    expect(() => parseJson(listOf(20_001))).toThrow(new DocumentError('has more than 20000 integers above 2^53'));
  });

  it('K-32: equals JSON.parse and JSON.stringify for everything else', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        expect(formatJson(parseJson(text))).toBe(text);
        if (!/\d{16}/.test(text)) expect(parseJson(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it('K-32: a read and a write keep every 64-bit integer', () => {
    const integer = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string(), integer)), (fields) => {
        const text = `[${fields.map(([name, value]) => `{${JSON.stringify(name)}:${value}}`).join(',')}]`;
        expect(formatJson(parseJson(text))).toBe(text);
      }),
    );
  });
});

describe('formatJson', () => {
  it('K-32: writes a bigint as an integer, also if the program defines BigInt.prototype.toJSON', () => {
    Object.defineProperty(BigInt.prototype, 'toJSON', { value: () => 'text', configurable: true });
    try {
      expect(formatJson({ a: [1n, 2n ** 64n], b: 'c' })).toBe('{"a":[1,18446744073709551616],"b":"c"}');
    } finally {
      Reflect.deleteProperty(BigInt.prototype, 'toJSON');
    }
  });

  it('refuses a value that contains itself, as JSON.stringify does', () => {
    const value: { self?: object } = {};
    value.self = value;
    expect(() => formatJson(value)).toThrow(TypeError);
  });
});
