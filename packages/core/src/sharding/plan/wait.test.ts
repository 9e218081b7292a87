import { describe, expect, it } from '@jest/globals';
import type { Plan, SlotAssignment } from './plan.ts';
import { isBehind, isSamePlan } from './plan-version.ts';
import type { Acknowledgement, ObservedMember } from './wait.ts';
import { isKept, isReleased, waitAfter } from './wait.ts';

function planOf(epoch: number, assignment: SlotAssignment): Plan {
  return { epoch, id: `id-${epoch}`, members: ['a', 'b', 'c'], slots: [assignment] };
}

function acked(epoch: number, { held = [], id = `id-${epoch}` }: { held?: number[]; id?: string } = {}) {
  return { acked: { epoch, id }, held: new Set(held) } satisfies Acknowledgement;
}

describe('isReleased', () => {
  const plan = planOf(7, { owner: 'a', since: 5, wait: ['b'] });
  const cases: readonly [string, ObservedMember | undefined, boolean][] = [
    ['acknowledged the plan before', { type: 'member', record: acked(4) }, false],
    ['acknowledged the plan that gave the slot away', { type: 'member', record: acked(5) }, true],
    ['acknowledged that plan and holds the slot', { type: 'member', record: acked(5, { held: [0] }) }, false],
    ['acknowledged this plan', { type: 'member', record: acked(7) }, true],
    ['acknowledged this plan and holds another slot', { type: 'member', record: acked(7, { held: [1] }) }, true],
    ['acknowledged another plan of this epoch', { type: 'member', record: acked(7, { id: 'other' }) }, false],
    ['is out', { type: 'out' }, true],
    ['cannot be read', { type: 'unreadable' }, false],
    ['has no Lease', undefined, false],
  ];

  it.each(cases)('SH-2: with a previous owner that %s', (_, lease, released) => {
    const members = new Map(lease ? [['b', lease]] : []);
    expect(isReleased(plan, 0, { members, out: new Set() })).toBe(released);
    expect(isReleased(plan, 0, { members, out: new Set(['b']) })).toBe(true);
  });

  it('SH-2: waits for each member', () => {
    const waiting = planOf(7, { owner: 'a', since: 5, wait: ['b', 'c'] });
    const members = new Map<string, ObservedMember>([['b', { type: 'member', record: acked(7) }]]);
    expect(isReleased(waiting, 0, { members, out: new Set() })).toBe(false);
    expect(isReleased(waiting, 0, { members, out: new Set(['c']) })).toBe(true);
  });

  it('does not release a slot that the plan does not have', () => {
    expect(isReleased(plan, 1, { members: new Map(), out: new Set() })).toBe(false);
  });
});

describe('isKept', () => {
  it('SH-2: keeps a slot that the member owned under the plan that it acknowledged last', () => {
    const assignment: SlotAssignment = { owner: 'a', since: 5, wait: [] };
    expect(isKept(assignment, 'a', { epoch: 5, id: 'id-5' })).toBe(true);
    expect(isKept(assignment, 'a', { epoch: 4, id: 'id-4' })).toBe(false);
    expect(isKept(assignment, 'b', { epoch: 5, id: 'id-5' })).toBe(false);
  });
});

describe('waitAfter', () => {
  const previous = planOf(7, { owner: 'a', since: 5, wait: ['b', 'c'] });
  const after = (owner: string, { b, out = [] }: { b: Acknowledgement; out?: string[] }) =>
    waitAfter({
      previous,
      slot: 0,
      owner,
      out: new Set(out),
      acknowledgements: new Map([
        ['a', acked(7)],
        ['b', b],
      ]),
    });

  it('SH-2: adds the previous owner even if it acknowledged the plan', () => {
    expect(after('c', { b: acked(6) })).toEqual(['a', 'b']);
  });

  it('SH-2: leaves out members that acknowledged the previous plan without the slot', () => {
    expect(after('a', { b: acked(7) })).toEqual(['c']);
    expect(after('a', { b: acked(7, { held: [0] }) })).toEqual(['b', 'c']);
    expect(after('a', { b: acked(7, { id: 'other' }) })).toEqual(['b', 'c']);
    expect(after('a', { b: acked(6) })).toEqual(['b', 'c']);
  });

  it('SH-2: leaves out members that are out, and the new owner', () => {
    expect(after('b', { b: acked(6) })).toEqual(['a', 'c']);
    expect(after('b', { b: acked(6), out: ['a', 'c'] })).toEqual([]);
  });
});

describe('PlanVersion', () => {
  it('identifies a plan by epoch and id', () => {
    expect(isSamePlan({ epoch: 3, id: 'x' }, { epoch: 3, id: 'x' })).toBe(true);
    expect(isSamePlan({ epoch: 3, id: 'x' }, { epoch: 3, id: 'y' })).toBe(false);
    expect(isSamePlan({ epoch: 3, id: 'x' }, { epoch: 4, id: 'x' })).toBe(false);
  });

  it('SH-13: is behind a known plan if its epoch is lower, or its id differs', () => {
    const known = { epoch: 3, id: 'x' };
    expect(isBehind({ epoch: 2, id: 'x' }, known)).toBe(true);
    expect(isBehind({ epoch: 3, id: 'y' }, known)).toBe(true);
    expect(isBehind({ epoch: 3, id: 'x' }, known)).toBe(false);
    expect(isBehind({ epoch: 4, id: 'y' }, known)).toBe(false);
  });
});
