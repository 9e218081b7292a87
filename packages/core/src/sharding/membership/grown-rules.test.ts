import { describe, expect, it } from '@jest/globals';
import { grownRules } from './grown-rules.ts';
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

  it('SH-17: keep the time between the last write of a crashed replica and the first one of its successor', () => {
    const gap = (members: number) => {
      const rules = grownRules(DEFAULT_RULES, members);
      return evictionTime(rules) / 1.01 - fenceWindow(rules) / 0.99;
    };
    for (let members = 0; members < 200; members++) expect(gap(members + 1)).toBeGreaterThanOrEqual(gap(members) - 2);
    expect(gap(21)).toBeGreaterThan(gap(20));
  });
});
