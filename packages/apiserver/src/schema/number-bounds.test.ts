import { describe, expect, it } from '@jest/globals';
import { mergePatch } from '../patch/merge-patch.ts';
import { parseNumbers } from './number-texts.ts';
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

  const errorsOf = (schema: object, json: string) =>
    schemaErrors({ type: 'object', properties: { n: schema } }, parseNumbers(`{"n":${json}}`)).map(
      ({ message }) => message,
    );

  it.each(['1.0', '1e0', '-0.0', '1e15', '1.0000000001', '9007199254740991.0'])(
    'K-20: accepts %s as an integer',
    (text) => {
      expect(errorsOf({ type: 'integer' }, text)).toEqual([]);
    },
  );

  it.each(['1e18', '9007199254740992.0', '1.1', '-1.0000000001', '1e300', '9223372036854775808'])(
    'K-20: refuses %s as an integer, as a floating-point number that may have a fraction',
    (text) => {
      expect(errorsOf({ type: 'integer' }, text)).toEqual([
        'Invalid value: "number": n in body must be of type integer: "number"',
      ]);
    },
  );

  it('K-20: an error names a number with an exponent as Go prints a floating-point number', () => {
    expect(errorsOf({ type: 'string' }, '1e2')).toEqual([
      'Invalid value: "number": n in body must be of type string: "number"',
    ]);
    expect(errorsOf({ type: 'integer', maximum: 100 }, '1e9')).toEqual([
      'Invalid value: 1e+09: n in body should be less than or equal to 100',
    ]);
    expect(errorsOf({ type: 'integer', maximum: 100 }, '1000000000')).toEqual([
      'Invalid value: 1000000000: n in body should be less than or equal to 100',
    ]);
  });

  it.each(['2024-02-30', '2023-02-29', '2024-04-31'])('K-20: refuses the date %s, which does not exist', (date) => {
    const errors = (format: string, value: string): number => schemaErrors({ type: 'string', format }, value).length;
    expect([errors('date', date), errors('date-time', `${date}T00:00:00Z`)]).toEqual([1, 1]);
    expect([errors('date', '2024-02-29'), errors('date-time', '2024-02-29T00:00:00+02:00')]).toEqual([0, 0]);
  });

  it('K-13: a merge patch sorts the fields that it writes, in which order their faults are reported', () => {
    const patched = mergePatch({ status: {} }, { status: { b: 1, a: { d: 1, c: 2 } } });
    expect(JSON.stringify(patched)).toBe('{"status":{"a":{"c":2,"d":1},"b":1}}');
  });
});
