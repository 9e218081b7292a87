import { describe, expect, it } from '@jest/globals';
import { deepFreeze } from './freeze.ts';

describe('deepFreeze', () => {
  it('freezes every part', () => {
    const object = deepFreeze({ metadata: { labels: { a: 'b' } }, list: [{ empty: null }] });
    const parts = [object, object.metadata, object.metadata.labels, object.list, object.list[0]];
    expect(parts.map((part) => Object.isFrozen(part))).toEqual(parts.map(() => true));
  });

  it('S-6: freezes what is nested deeper than calls can be', () => {
    // The Go decoder of an API server takes a depth of 10,000.
    const depth = 10_000;
    const object: unknown = JSON.parse(`${'{"a":'.repeat(depth)}{}${'}'.repeat(depth)}`);
    let innermost = deepFreeze(object) as { a?: object };
    while (innermost.a) innermost = innermost.a;
    expect(Object.isFrozen(innermost)).toBe(true);
  });
});
