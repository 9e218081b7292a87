import { describe, expect, it } from '@jest/globals';
import { fmix64, isSlotCount, slotOf } from './slot.ts';
import type { Uint64 } from './slot.ts';

function hex({ high, low }: Uint64): string {
  return [high, low].map((half) => half.toString(16).padStart(8, '0')).join('');
}

describe('fmix64', () => {
  function reference(value: bigint): bigint {
    let hash = value;
    hash = BigInt.asUintN(64, (hash ^ (hash >> 33n)) * 0xff51_afd7_ed55_8ccdn);
    hash = BigInt.asUintN(64, (hash ^ (hash >> 33n)) * 0xc4ce_b9fe_1a85_ec53n);
    return hash ^ (hash >> 33n);
  }

  it.each([0n, 1n, 2n, 0xffff_ffffn, 0x1_0000_0000n, 0xffff_0000_ffff_0001n, 0xffff_ffff_ffff_ffffn])(
    'mixes %p as MurmurHash3 does',
    (value) => {
      const mixed = fmix64({ high: Number(value >> 32n), low: Number(value & 0xffff_ffffn) });
      expect(hex(mixed)).toBe(reference(value).toString(16).padStart(16, '0'));
    },
  );

  it('mixes 1 to the published value', () => {
    expect(hex(fmix64({ high: 0, low: 1 }))).toBe('b456bcfc34c2cb2c');
  });
});

describe('slotOf', () => {
  it('takes the top bits of the hash', () => {
    expect(slotOf('foobar', { slots: 256, hash: 'plain' })).toBe(0x85);
    expect(slotOf('foobar', { slots: 4_096, hash: 'plain' })).toBe(0x859);
    expect(slotOf('foobar', { slots: 2, hash: 'plain' })).toBe(1);
    expect(slotOf('fo', { slots: 2, hash: 'plain' })).toBe(0);
  });

  it('knows one slot only if there is one', () => {
    expect(slotOf('foobar', { slots: 1, hash: 'plain' })).toBe(0);
    expect(slotOf('fo', { slots: 1, hash: 'mixed' })).toBe(0);
  });

  it.each([0, 3, -4, 1.5, 131_072, NaN])('refuses %p slots', (slots) => {
    expect(isSlotCount(slots)).toBe(false);
    expect(() => slotOf('key', { slots, hash: 'mixed' })).toThrow(RangeError);
  });

  it.each([1, 2, 1024, 4_096])('accepts %p slots', (slots) => {
    expect(isSlotCount(slots)).toBe(true);
  });

  it.each(['cluster-', 'fleet/eu-west-1/member-', '00000000-0000-4000-8000-0000000'])(
    'SH-7: spreads consecutive names that begin with %j evenly',
    (prefix) => {
      const slots = 1024;
      const counts = new Array<number>(slots).fill(0);
      const keys = 10_000;
      for (let key = 0; key < keys; key++) {
        const slot = slotOf(`${prefix}${key}`, { slots, hash: 'mixed' });
        counts[slot] = (counts[slot] ?? 0) + 1;
      }
      const expected = keys / slots;
      const chiSquare = counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
      // With 1,023 degrees of freedom: the mean is 1,023, the standard deviation 45.
      expect(chiSquare).toBeGreaterThan(1023 - 5 * 45);
      expect(chiSquare).toBeLessThan(1023 + 5 * 45);
    },
  );
});
