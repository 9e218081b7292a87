import { describe, expect, it } from '@jest/globals';
import type { JsonSchema } from '../definitions/json-schema.ts';
import type { Schema } from '../schema/schema.ts';
import { complete, PAUSE } from '../turn.ts';
import { ruleViolations } from './rule-validator.ts';

const items = { type: 'string', maxLength: 5 };
const expensive = { rule: 'self.all(x, self.all(y, x + y != y + x + "z"))' };
const failing = { rule: 'self.size() == 0', message: 'must be empty' };

function schemaOf(rules: readonly { readonly rule: string; readonly message?: string }[]): Schema {
  const schema: JsonSchema = { type: 'array', maxItems: 200, items, 'x-kubernetes-validations': [...rules] };
  return schema as Schema;
}

const judged = { before: undefined, path: 'names', isResource: false };

describe('long evaluations of rules', () => {
  it('K-30: pause between two rules, with the same result as without a pause', () => {
    const value = Array.from({ length: 150 }, (_, index) => `a${index}`);
    const schema = schemaOf([expensive, expensive, expensive, failing]);
    const work = ruleViolations(schema, { ...judged, value });
    const pauses: unknown[] = [];
    let result = work.next();
    while (!result.done) {
      pauses.push(result.value);
      result = work.next();
    }
    expect(pauses).toEqual([PAUSE, PAUSE, PAUSE]);
    expect(result.value).toMatchObject([{ field: 'names', message: expect.stringContaining('must be empty') }]);
    expect(complete(ruleViolations(schema, { ...judged, value }))).toEqual(result.value);
  });

  it('K-30: do not pause if they are short', () => {
    const schema = schemaOf([{ rule: 'self.size() == 1' }]);
    // The first evaluation compiles the rule.
    complete(ruleViolations(schema, { ...judged, value: ['a'] }));
    expect(ruleViolations(schema, { ...judged, value: ['a'] }).next()).toEqual({ done: true, value: [] });
  });
});
