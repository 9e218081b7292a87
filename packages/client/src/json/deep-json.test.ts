import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { formatDeepJson } from './deep-json.ts';
import { formatJson, parseJson } from './json.ts';

function nested(levels: number, innermost: object): object {
  let object = innermost;
  for (let level = 1; level < levels; level += 1) object = level % 2 ? { a: object, b: 1 } : [object];
  return object;
}

describe('JSON that is nested more deeply than the call stack', () => {
  it('is encoded at the depth that API servers accept', () => {
    const text = `${'{"a":['.repeat(5_000)}9007199254740993${']}'.repeat(5_000)}`;
    const value = parseJson(text);
    expect(() => JSON.stringify(value)).toThrow();
    expect(formatJson(value)).toBe(text);
  });

  it('is encoded in full, whatever the innermost value is', () => {
    const date = new Date(0);
    expect(formatJson(nested(9_999, { date, none: undefined, list: [undefined, 1n] }))).toContain(
      '{"date":"1970-01-01T00:00:00.000Z","list":[null,1]}',
    );
  });

  it('is refused if it contains itself, or exceeds the depth that API servers accept', () => {
    const cycle: Record<string, unknown> = {};
    cycle['self'] = nested(5_000, cycle);
    expect(() => formatJson({ deep: nested(9_000, {}), cycle })).toThrow(new TypeError('contains itself'));
    expect(() => formatJson(nested(10_001, {}))).toThrow(new TypeError('is nested more than 10000 levels deep'));
    const shared = { a: 1 };
    expect(formatDeepJson([shared, shared])).toBe('[{"a":1},{"a":1}]');
  });
});

describe('formatDeepJson', () => {
  it('equals JSON.stringify', () => {
    const value = fc.object({ maxDepth: 5, withDate: true, withBoxedValues: true, withNullPrototype: true });
    fc.assert(
      fc.property(value, (object) => {
        expect(formatDeepJson(object)).toBe(JSON.stringify(object));
      }),
    );
  });

  it('omits functions and symbols, as JSON.stringify does', () => {
    const object = { f: () => 1, list: [() => 1, Symbol('s'), NaN], '"': { toJSON: (name: string) => name } };
    expect(formatDeepJson(object)).toBe(JSON.stringify(object));
  });
});
