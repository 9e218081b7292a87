import { describe, expect, it } from '@jest/globals';
import { HASH_SPACE } from './shard-selector.ts';
import { HIGH, LOW, MIDDLE, uidsIn } from './shard.fixture.ts';
import { Shard } from './shard.ts';

describe('Shard', () => {
  it('notifies listeners of other ranges, and of equal ones not', () => {
    const shard = new Shard({ field: 'uid', ranges: LOW });
    let changes = 0;
    const remove = shard.onChange(() => (changes += 1));
    shard.update([
      { start: MIDDLE / 2n, end: MIDDLE },
      { start: 0n, end: MIDDLE / 2n },
    ]);
    expect(changes).toBe(0);
    shard.update(HIGH);
    expect([changes, shard.selector]).toEqual([1, { field: 'uid', ranges: HIGH }]);
    remove();
    shard.update(LOW);
    expect(changes).toBe(1);
  });

  it('has the objects in its current ranges', () => {
    const [uid = ''] = uidsIn('high', 1);
    const shard = new Shard({ field: 'uid', ranges: LOW });
    expect(shard.has({ uid })).toBe(false);
    shard.update(HIGH);
    expect(shard.has({ uid })).toBe(true);
  });

  it.each([
    [[{ start: 1n, end: 1n }], 'option "ranges.0"'],
    [[{ start: -1n, end: 1n }], 'option "ranges.0"'],
    [[{ start: 0n, end: HASH_SPACE + 1n }], 'option "ranges.0"'],
    [[{ start: 0, end: 1 }], 'option "ranges.0.start"'],
    [Array.from({ length: 65_537 }, () => ({ start: 0n, end: 1n })), 'expected at most 65536 ranges'],
  ])('refuses invalid ranges', (ranges, message) => {
    const shard = new Shard({ field: 'uid', ranges: LOW });
    expect(() => shard.update(ranges as typeof LOW)).toThrow(message);
    expect(shard.selector.ranges).toEqual(LOW);
  });
});
