import { describe, expect, it } from '@jest/globals';
import { resultOf, textOf } from './result.ts';
import type { Scenario } from './scenario.ts';

const scenario: Scenario = {
  id: 'X',
  title: 'something',
  unit: 'ms',
  goal: '≤ 2 ×; ≤ 5 ms',
  isMet: ({ ratio, detail }) => ratio <= 2 && detail('other') <= 5,
  measure: async () => ({ value: 0, floor: null, details: {} }),
};

describe('result of a scenario', () => {
  it('is met if every goal is met', () => {
    const measured = { value: 20, floor: 10 };
    expect(resultOf(scenario, { ...measured, details: { other: 5 } }).met).toBe(true);
    expect(resultOf(scenario, { ...measured, details: { other: 6 } }).met).toBe(false);
    expect(resultOf(scenario, { ...measured, details: {} }).met).toBe(false);
    expect(resultOf(scenario, { ...measured, floor: 9, details: { other: 5 } }).met).toBe(false);
  });

  it('has five digits, and null for absent numbers', () => {
    const result = resultOf(scenario, { value: 1.234567, floor: null, details: { other: 98_765.4321, none: NaN } });
    expect(result).toEqual({
      id: 'X',
      value: 1.2346,
      unit: 'ms',
      floor: null,
      ratio: null,
      goal: '≤ 2 ×; ≤ 5 ms',
      met: false,
      details: { other: 98_765, none: null },
    });
  });

  it('exists for a scenario that failed', () => {
    const result = resultOf(scenario, undefined);
    expect(result).toMatchObject({ value: null, met: false });
    expect(textOf(scenario, result, false)).toContain('goal: ≤ 2 ×; ≤ 5 ms: failed');
  });
});
