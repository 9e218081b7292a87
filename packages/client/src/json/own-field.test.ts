import { describe, expect, it } from '@jest/globals';
import { ownField } from './own-field.ts';
import { isPlainObject } from '../options/plain-object.ts';

describe('ownField', () => {
  it('returns a field, and nothing for names that objects inherit', () => {
    expect(ownField({ a: 1 }, 'a')).toBe(1);
    expect(ownField<unknown>({}, 'constructor')).toBeUndefined();
  });
});

describe('isPlainObject', () => {
  it('accepts objects without a class, and refuses instances, arrays and null', () => {
    expect([{}, Object.create(null)].map(isPlainObject)).toEqual([true, true]);
    expect([new Date(), [], null, 'a'].map(isPlainObject)).toEqual([false, false, false, false]);
  });
});
