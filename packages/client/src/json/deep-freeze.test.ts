import { describe, expect, it } from '@jest/globals';
import { deepFreeze } from './deep-freeze.ts';

describe('deepFreeze', () => {
  it('freezes every part', () => {
    const object = deepFreeze({ metadata: { labels: { a: 'b' } }, list: [{ empty: null }] });
    const parts = [object, object.metadata, object.metadata.labels, object.list, object.list[0]];
    expect(parts.map((part) => Object.isFrozen(part))).toEqual(parts.map(() => true));
  });

  it('S-6: freezes objects that are nested more deeply than the call stack', () => {
    // Go's decoder in an API server accepts a depth of 10,000.
    const depth = 10_000;
    const object: unknown = JSON.parse(`${'{"a":'.repeat(depth)}{}${'}'.repeat(depth)}`);
    let innermost = deepFreeze(object) as { a?: object };
    while (innermost.a) innermost = innermost.a;
    expect(Object.isFrozen(innermost)).toBe(true);
  });

  it('S-10: freezes only the outermost 25,000 values of an object, so that the time is bounded', () => {
    const largest = { metadata: { name: 'a' }, rows: Array.from({ length: 24_997 }, () => ({})) };
    deepFreeze(largest);
    expect(largest.rows.every((row) => Object.isFrozen(row))).toBe(true);

    const larger = { metadata: { name: 'a' }, rows: Array.from({ length: 890_000 }, () => ({})) };
    deepFreeze(larger);
    expect(Object.isFrozen(larger)).toBe(true);
    expect(Object.isFrozen(larger.metadata)).toBe(true);
    expect(Object.isFrozen(larger.rows)).toBe(false);
    expect(larger.rows.some((row) => Object.isFrozen(row))).toBe(false);
  });
});
