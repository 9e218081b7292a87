import { describe, expect, it } from '@jest/globals';
import { mergePatch } from '../patch/merge-patch.ts';
import { schemaErrors } from './validate.ts';

describe('bounds of integers', () => {
  it('K-20: a bound is compared as an integer of 64 bits, as Go does on amd64', () => {
    const messages = (schema: object, value: number) => schemaErrors(schema, value).map(({ message }) => message);
    expect(messages({ type: 'integer', minimum: 1e300 }, 1)).toEqual([]);
    expect(messages({ type: 'integer', maximum: 1e300 }, 1)).toEqual([
      'Invalid value: 1:  in body should be less than or equal to -9223372036854775808',
    ]);
    expect(messages({ type: 'number', minimum: 1.5 }, 1)).toEqual([]);
    expect(messages({ type: 'number', minimum: 1.5 }, 1.25)).toHaveLength(1);
  });

  it('K-13: a merge patch sorts the fields that it writes, in which order their faults are reported', () => {
    const patched = mergePatch({ status: {} }, { status: { b: 1, a: { d: 1, c: 2 } } });
    expect(JSON.stringify(patched)).toBe('{"status":{"a":{"c":2,"d":1},"b":1}}');
  });
});
