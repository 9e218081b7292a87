import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { JsonSchema } from '../definitions/json-schema.ts';
import type { Schema } from '../schema/schema.ts';
import { complete, PAUSE, SLICE } from '../turn.ts';
import { ruleViolations } from './rule-validator.ts';

const items = { type: 'string', maxLength: 5 };
const passing = { rule: 'self.all(x, self.all(y, x != y + "z"))' };
const failing = { rule: 'self.size() == 0', message: 'must be empty' };
const schema = { type: 'array', maxItems: 9, items, 'x-kubernetes-validations': [passing, passing, failing] };
const judged = { value: ['a', 'b'], before: undefined, path: 'names', isResource: false };

function violations(): ReturnType<typeof ruleViolations> {
  return ruleViolations(schema satisfies JsonSchema as Schema, judged);
}

describe('evaluations of rules', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('K-30: pause between two rules if they take long, with the same result as without a pause', () => {
    let now = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => (now += SLICE));
    const work = violations();
    const pauses: unknown[] = [];
    let result = work.next();
    while (!result.done) {
      pauses.push(result.value);
      result = work.next();
    }
    // One before the value is converted, and one before each rule.
    expect(pauses).toEqual(Array.from({ length: 4 }, () => PAUSE));
    expect(result.value).toMatchObject([{ field: 'names', message: 'Invalid value: must be empty' }]);
    expect(complete(violations())).toEqual(result.value);
  });

  it('K-30: do not pause if they are short', () => {
    jest.spyOn(performance, 'now').mockReturnValue(0);
    expect(violations().next()).toMatchObject({ done: true, value: [{ field: 'names' }] });
  });

  it('K-26: a value before a change that has another type matters only to rules that read it', () => {
    const rules = [failing, { rule: 'self.size() >= oldSelf.size()', message: 'must not shrink' }];
    const changed = { ...judged, before: { value: true } };
    const found = complete(ruleViolations({ ...schema, 'x-kubernetes-validations': rules } as Schema, changed));
    expect(found.map(({ message }) => message)).toEqual([
      'Invalid value: must be empty',
      'Invalid value: "array": invalid data, expected an array for the provided schema with type=array evaluating rule: must not shrink',
    ]);
  });
});
