import { describe, expect, it } from '@jest/globals';
import type { Plan, SlotAssignment } from './plan.ts';
import { planProblem } from './plan-problem.ts';

function planOf(changes: Partial<SlotAssignment>, plan: Partial<Plan> = {}): Plan {
  const assignment: SlotAssignment = { owner: 'a', since: 2, wait: ['b'], next: 'c', ...changes };
  return { epoch: 3, id: 'id', members: ['a', 'b', 'c'], slots: [assignment], ...plan };
}

describe('planProblem', () => {
  it('accepts a valid plan', () => {
    expect(planProblem(planOf({}), 1)).toBeUndefined();
  });

  it.each([
    ['epoch 0 is not a positive integer', planOf({}, { epoch: 0 })],
    ['epoch 1.5 is not a positive integer', planOf({}, { epoch: 1.5 })],
    ['epoch 1099511627777 is above 1099511627776', planOf({}, { epoch: 2 ** 40 + 1 })],
    ['the id is empty', planOf({}, { id: '' })],
    ['it has 0 slots instead of 1', planOf({}, { slots: [] })],
    ['member a is not in order, or is listed twice', planOf({}, { members: ['b', 'a', 'c'] })],
    ['member c is not in order, or is listed twice', planOf({}, { members: ['a', 'b', 'c', 'c'] })],
    ['slot 0: owner x is not a member', planOf({ owner: 'x' })],
    ['slot 0: since 4 is not an epoch up to 3', planOf({ since: 4 })],
    ['slot 0: since 0 is not an epoch up to 3', planOf({ since: 0 })],
    ['slot 0: x in wait is not a member', planOf({ wait: ['b', 'x'] })],
    ['slot 0: it waits for its own owner a', planOf({ wait: ['a'] })],
    ['slot 0: wait names a member twice', planOf({ wait: ['b', 'b'] })],
    ['slot 0: next owner x is not a member', planOf({ next: 'x' })],
    ['slot 0: next owner a is the owner', planOf({ next: 'a' })],
  ])('SH-13: refuses a plan: %s', (problem, plan) => {
    expect(planProblem(plan, 1)).toBe(problem);
  });
});
