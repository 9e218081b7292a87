import { describe, expect, it } from '@jest/globals';
import { WrittenFields } from './written-fields.ts';

describe('WrittenFields', () => {
  it('FP-4: holds a write until the cache has its version or a newer one', () => {
    const written = new WrittenFields();
    expect(written.isHeld('a', 'eu-1', undefined)).toBe(true);
    written.add('a', 'eu-1', '9');
    written.add('a', 'us-1', '11');
    expect(['8', '10', undefined].map((version) => written.isHeld('a', 'us-1', version))).toEqual([
      false,
      false,
      false,
    ]);
    expect(written.isHeld('a', 'eu-1', '10')).toBe(true);
    expect([written.isHeld('b', 'us-1', '1'), written.isHeld('a', 'us-1', '11')]).toEqual([true, true]);
  });

  it('FP-4: forgets writes that an event shows, and those of a deleted record', () => {
    const written = new WrittenFields();
    written.add('a', 'eu-1', '9');
    written.add('a', 'us-1', '11');
    written.observed('a', '10');
    expect(['eu-1', 'us-1'].map((field) => written.isHeld('a', field, undefined))).toEqual([true, false]);
    written.forget('a');
    expect(written.isHeld('a', 'us-1', undefined)).toBe(true);
  });
});
