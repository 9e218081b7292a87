import { describe, expect, it } from '@jest/globals';
import type { MemberLease } from '../membership/member-record.ts';
import { PlanUsage } from './plan-use.ts';

const PATIENCE = 15_000;

describe('the use of a plan of another program', () => {
  const lease = (name: string, resourceVersion: string, type: 'unreadable' | 'out' = 'unreadable'): MemberLease =>
    type === 'out' ? { name, resourceVersion, type } : { name, resourceVersion, type, reason: 'damaged' };
  const usage = () => {
    const found = new PlanUsage(PATIENCE);
    return (now: number, ...leases: readonly MemberLease[]) =>
      found.useOf('plan-7', { named: ['a', 'b'], members: new Map(leases.map((one) => [one.name, one])), now });
  };

  it('SH-14: is released when all of its members are out', () => {
    const useAt = usage();
    expect(useAt(0, lease('a', '1', 'out'), lease('b', '2'))).toBe('used');
    expect(useAt(1, lease('a', '1', 'out'), lease('b', '3', 'out'), lease('c', '4'))).toBe('released');
  });

  it('SH-14: is abandoned when no member renewed its Lease for the eviction time, and remains so', () => {
    const useAt = usage();
    for (let now = 0; now < PATIENCE; now += 1_000) expect(useAt(now, lease('a', '1'), lease('b', '2'))).toBe('used');
    expect(useAt(PATIENCE, lease('a', '1'), lease('b', '2'))).toBe('abandoned');
    expect(useAt(PATIENCE + 1, lease('a', '9'), lease('b', '2'))).toBe('abandoned');
  });

  it('SH-14: is used as long as one member renews its Lease', () => {
    const useAt = usage();
    for (let now = 0; now < 100_000; now += 1_000)
      expect(useAt(now, lease('a', '1'), lease('b', String(Math.floor(now / 3_000))))).toBe('used');
  });

  it('SH-11: is not abandoned after an outage of the hub, in which no member could renew its Lease', () => {
    const useAt = usage();
    expect(useAt(0, lease('a', '1'))).toBe('used');
    expect(useAt(60_000, lease('a', '1'))).toBe('used');
  });
});
