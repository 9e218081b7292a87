import { describe, expect, it } from '@jest/globals';
import { grownRules, livingMembers, MAX_GROWTH } from './grown-rules.ts';
import { Script } from './script.fixture.ts';
import { DEFAULT_RULES, evictionTime, fenceWindow } from './rules.ts';

describe('the rules of a large group', () => {
  it('SH-17: are those of a small group up to 20 members', () => {
    expect(grownRules(DEFAULT_RULES, 0)).toBe(DEFAULT_RULES);
    expect(grownRules(DEFAULT_RULES, 20)).toBe(DEFAULT_RULES);
  });

  it('SH-17: let renewals and Leases take longer in proportion to the number of members', () => {
    expect(grownRules(DEFAULT_RULES, 50)).toEqual({
      ...DEFAULT_RULES,
      leaseDuration: 30_000,
      renewInterval: 7_500,
      margin: 7_500,
    });
  });

  it('SH-17: grow at most by a factor of 10', () => {
    expect(grownRules(DEFAULT_RULES, 1_000)).toEqual(grownRules(DEFAULT_RULES, 200));
    expect(grownRules(DEFAULT_RULES, 1_000).leaseDuration).toBe(DEFAULT_RULES.leaseDuration * MAX_GROWTH);
  });

  it('SH-6: do not count members that crashed, so that they are evicted in time', () => {
    const script = new Script('a');
    for (const name of ['b', 'c', 'd']) script.put(name);
    script.settle();
    // No renewal was seen yet.
    expect(livingMembers(script.state, script.now)).toBe(1);
    for (const name of ['b', 'c']) script.put(name);
    script.read();
    expect(livingMembers(script.state, script.now)).toBe(3);
    const { now } = script;
    script.put('b', { leaseDuration: 20_000 });
    script.read();
    expect(livingMembers(script.state, now + 6_000)).toBe(3);
    expect(livingMembers(script.state, now + 6_001)).toBe(2);
    expect(livingMembers(script.state, script.now + 10_001)).toBe(1);
  });

  it('SH-17: keep the time between the last write of a crashed replica and the first one of its successor', () => {
    const gap = (members: number) => {
      const rules = grownRules(DEFAULT_RULES, members);
      return evictionTime(rules) / 1.01 - fenceWindow(rules) / 0.99;
    };
    for (let members = 0; members < 200; members++) expect(gap(members + 1)).toBeGreaterThanOrEqual(gap(members) - 2);
    expect(gap(21)).toBeGreaterThan(gap(20));
  });
});
