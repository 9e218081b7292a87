import { describe, expect, it } from '@jest/globals';
import type { Plan } from './plan.ts';
import { planProblem } from './plan-problem.ts';
import { fleetLoads, inputOf, loadsByOwner, member, obedient, planned, settle } from './planned-group.fixture.ts';
import { nextPlan } from './planner.ts';

const ALL = Array.from({ length: 16 }, (_, slot) => slot);

function ownersOf(plan: Plan): Set<string> {
  return new Set(plan.slots.map(({ owner }) => owner));
}

function slotsOf(plan: Plan, name: string): number[] {
  return ALL.filter((slot) => plan.slots[slot]?.owner === name);
}

function preparedBy(plan: Plan, name: string): number[] {
  return ALL.filter((slot) => plan.slots[slot]?.next === name);
}

describe('nextPlan without a previous plan', () => {
  it('SH-1: gives all slots to a single member, which waits for no other member', () => {
    const plan = planned(inputOf([member('a', { isNew: true })]));
    expect(plan).toMatchObject({ epoch: 1, id: 'id-1', members: ['a'] });
    expect(plan.slots).toEqual(ALL.map(() => ({ owner: 'a', since: 1, wait: [] })));
  });

  it('SH-7: divides the slots among several members by weight', () => {
    const plan = planned(inputOf([member('b', { weight: 3 }), member('a')]));
    expect(loadsByOwner(plan)).toEqual(
      new Map([
        ['a', 4],
        ['b', 12],
      ]),
    );
  });

  it('SH-13: lets each owner wait for all others, because any of them may hold any slot', () => {
    const plan = planned(inputOf([member('a'), member('b', { isLeaving: true })], { unreadable: ['c'], epoch: 9 }));
    expect(plan.members).toEqual(['a', 'b', 'c']);
    expect(plan.slots).toEqual(ALL.map(() => ({ owner: 'a', since: 9, wait: ['b', 'c'] })));
  });

  it('plans nothing if there is no member', () => {
    expect(nextPlan(inputOf([]))).toBeUndefined();
    expect(nextPlan(inputOf([member('a')], { out: new Set(['a']) }))).toBeUndefined();
  });
});

describe('nextPlan with members that are out', () => {
  const previous = settle(inputOf([member('a'), member('b'), member('c')])).plan;

  it('SH-6: drops them, and gives their slots away in the same plan', () => {
    const plan = planned(inputOf([member('b'), member('c')], { previous, out: new Set(['a']) }));
    expect(plan.members).toEqual(['b', 'c']);
    expect(loadsByOwner(plan)).toEqual(
      new Map([
        ['b', 8],
        ['c', 8],
      ]),
    );
    expect(plan.slots.flatMap(({ next }) => next ?? [])).toEqual([]);
    expect(planProblem(plan, 16)).toBeUndefined();
  });

  it('SH-6: gives a slot to the member that prepares it', () => {
    const slots = previous.slots.map((slot) => (slot.owner === 'a' ? { ...slot, next: 'c' } : slot));
    const input = inputOf([member('b'), member('c')], { previous: { ...previous, slots }, out: new Set(['a']) });
    const plan = planned({ ...input, mayBalance: false });
    for (const slot of slotsOf(previous, 'a')) expect(plan.slots[slot]?.owner).toBe('c');
  });

  it('SH-6: moves nothing but their slots', () => {
    const plan = planned(inputOf([member('b'), member('c')], { previous, out: new Set(['a']) }));
    previous.slots.forEach((before, slot) => {
      if (before.owner === 'a') return;
      expect(plan.slots[slot]).toMatchObject({ owner: before.owner, since: before.since });
    });
  });

  it('gives slots to members of weight 0 if no others are there, in equal shares', () => {
    const members = [member('b', { weight: 0 }), member('c', { weight: 0 })];
    const plan = planned(inputOf(members, { previous, out: new Set(['a']) }));
    expect([...loadsByOwner(plan).values()]).toEqual([8, 8]);
  });

  it('gives slots to a leaving member if no others are there', () => {
    const members = [member('b', { isLeaving: true })];
    const plan = planned(inputOf(members, { previous, out: new Set(['a', 'c']) }));
    expect(ownersOf(plan)).toEqual(new Set(['b']));
  });

  it('gives slots to a new member rather than to one of weight 0', () => {
    const members = [member('b', { weight: 0 }), member('d', { isNew: true })];
    const plan = planned(inputOf(members, { previous, out: new Set(['a', 'c']), mayBalance: false }));
    for (const slot of slotsOf(previous, 'a')) expect(plan.slots[slot]?.owner).toBe('d');
  });

  it('keeps the members whose Leases are missing, and their slots', () => {
    expect(nextPlan(inputOf([member('a'), member('b')], { previous }))).toBeUndefined();
    const plan = planned(inputOf([member('b')], { previous, out: new Set(['a']) }));
    expect(plan.members).toEqual(['b', 'c']);
    expect(slotsOf(plan, 'c')).toEqual(slotsOf(previous, 'c'));
  });
});

describe('nextPlan with new members', () => {
  const previous = settle(inputOf([member('a')])).plan;

  it('SH-7: gives nothing to a member that was seen a moment ago', () => {
    expect(nextPlan(inputOf([member('a'), member('b', { isNew: true })], { previous }))).toBeUndefined();
  });

  /** Each slot is too large for a tenth of a share, and has more clusters than may always be prepared. */
  const clusters = previous.slots.map(() => 17);

  it('SH-7: lets a member prepare at most a tenth of its share, and at least one slot', () => {
    const few = planned(inputOf([member('a'), member('b')], { previous, clusters }));
    expect(few.members).toEqual(['a', 'b']);
    expect(preparedBy(few, 'b')).toHaveLength(1);
    expect(ownersOf(few)).toEqual(new Set(['a']));

    const large = settle(inputOf([member('a')], { slots: 1024 })).plan;
    const many = planned(inputOf([member('a'), member('b')], { slots: 1024, previous: large }));
    expect(many.slots.filter(({ next }) => next === 'b')).toHaveLength(51);
  });

  it('SH-7: lets a member prepare 16 clusters at once, whatever its share is', () => {
    const preparedAtOnce = (clustersOfSlot: number) => {
      const its = previous.slots.map(() => clustersOfSlot);
      return preparedBy(planned(inputOf([member('a'), member('b')], { previous, clusters: its, loads: its })), 'b');
    };
    // All that moves.
    expect(preparedAtOnce(1)).toHaveLength(8);
    expect(preparedAtOnce(4)).toHaveLength(4);
    expect(preparedAtOnce(5)).toHaveLength(3);
  });

  it('SH-7: brings a small fleet into balance with two plans for a newcomer', () => {
    const loads = fleetLoads(40);
    const alone = settle(inputOf([member('a'), member('b')], { slots: 1024, loads, clusters: loads })).plan;
    const group = inputOf([member('a'), member('b'), member('c')], {
      slots: 1024,
      loads,
      clusters: loads,
      previous: alone,
    });
    expect(settle(group).plans).toBe(2);
  });

  it('SH-5: gives a slot once it is warm, and names the previous owner in wait', () => {
    const members = [member('a'), member('b')];
    const preparing = planned(inputOf(members, { previous }));
    expect(nextPlan(inputOf(members, { previous: preparing }))).toBeUndefined();

    const given = planned(inputOf(obedient(members, preparing), { previous: preparing }));
    const [slot = -1] = preparedBy(preparing, 'b');
    expect(given.slots[slot]).toEqual({ owner: 'b', since: given.epoch, wait: ['a'] });
  });

  it('SH-5: gives a slot that was prepared for too long', () => {
    const members = [member('a'), member('b')];
    const preparing = planned(inputOf(members, { previous, clusters }));
    const [slot = -1] = preparedBy(preparing, 'b');
    const given = planned(inputOf(members, { previous: preparing, overdue: new Set([slot]) }));
    expect(given.slots[slot]?.owner).toBe('b');
  });

  it('moves nothing for balance before the provider has synced', () => {
    const members = [member('a'), member('b')];
    const known = planned(inputOf(members, { previous, mayBalance: false }));
    expect(known.members).toEqual(['a', 'b']);
    expect(known.slots).toEqual(previous.slots);
    const preparing = planned(inputOf(members, { previous }));
    expect(nextPlan(inputOf(obedient(members, preparing), { previous: preparing, mayBalance: false }))).toBeUndefined();
  });

  it('chooses another next owner if one is out or leaves', () => {
    const preparing = planned(inputOf([member('a'), member('b')], { previous }));
    const left = planned(inputOf([member('a'), member('b', { isLeaving: true })], { previous: preparing }));
    expect(preparedBy(left, 'b')).toEqual([]);
    const out = planned(inputOf([member('a'), member('c')], { previous: preparing, out: new Set(['b']) }));
    expect(preparedBy(out, 'c')).toEqual(preparedBy(preparing, 'b'));
  });

  it('waits until half of what a member prepares is warm, and takes the rest along', () => {
    const members = [member('a'), member('b', { isLeaving: true })];
    const before = settle(inputOf([member('a'), member('b')])).plan;
    const preparing = planned(inputOf(members, { previous: before }));
    const slots = preparedBy(preparing, 'a');
    expect(slots).toHaveLength(8);
    const withWarm = (count: number) =>
      inputOf([member('a', { warm: new Set(slots.slice(0, count)) }), member('b', { isLeaving: true })], {
        previous: preparing,
      });
    expect(nextPlan(withWarm(3))).toBeUndefined();
    expect(slotsOf(planned(withWarm(4)), 'b')).toHaveLength(4);
    const joined = withWarm(3);
    const plan = planned({ ...joined, members: [...joined.members, member('c')] });
    expect(slotsOf(plan, 'b')).toHaveLength(5);
  });
});

describe('nextPlan with leaving members', () => {
  const previous = settle(inputOf([member('a'), member('b'), member('c')])).plan;
  const members = [member('a', { isLeaving: true }), member('b'), member('c')];

  it('SH-5: lets others prepare all their slots at once', () => {
    const plan = planned(inputOf(members, { previous }));
    expect(slotsOf(plan, 'a')).toEqual(slotsOf(previous, 'a'));
    for (const slot of slotsOf(previous, 'a')) expect(['b', 'c']).toContain(plan.slots[slot]?.next);
    expect(plan.slots.filter(({ next }) => next !== undefined)).toHaveLength(slotsOf(previous, 'a').length);
  });

  it('SH-5: gives away all their slots, and keeps them as members until they are out', () => {
    const { plan, plans } = settle(inputOf(members, { previous }));
    expect(plans).toBe(2);
    expect(slotsOf(plan, 'a')).toEqual([]);
    expect(plan.members).toEqual(['a', 'b', 'c']);
  });

  it('SH-5: gives slots away that no member prepared in time', () => {
    const plan = planned(inputOf(members, { previous, overdue: new Set(ALL) }));
    expect(slotsOf(plan, 'a')).toEqual([]);
  });

  it('leaves the slots where they are if all members leave', () => {
    const all = members.map((one) => ({ ...one, isLeaving: true }));
    expect(nextPlan(inputOf(all, { previous }))).toBeUndefined();
  });
});

describe('nextPlan', () => {
  it('SH-7: takes all slots from a member whose weight became 0', () => {
    const previous = settle(inputOf([member('a'), member('b')])).plan;
    const { plan } = settle(inputOf([member('a', { weight: 0 }), member('b')], { previous }));
    expect(ownersOf(plan)).toEqual(new Set(['b']));
  });

  it('SH-7: gives members slots if there are more members than slots', () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    const { plan } = settle(
      inputOf(
        names.map((name) => member(name)),
        { slots: 2 },
      ),
    );
    expect(ownersOf(plan).size).toBe(2);
    expect(plan.members).toEqual(names);
  });

  it('SH-8: leaves a slot alone that is heavier than all others together, and moves the others', () => {
    const loads = ALL.map((slot) => (slot === 0 ? 1000 : 1));
    const previous = settle(inputOf([member('a'), member('b')])).plan;
    const { plan } = settle(inputOf([member('a'), member('b')], { previous, loads }));
    const [owner] = plan.slots;
    expect(plan.slots.filter((slot) => slot.owner === owner?.owner)).toHaveLength(1);
  });

  it('SH-7: spreads slots without load by their number', () => {
    const loads = ALL.map((slot) => (slot < 4 ? 1 : 0));
    const { plan } = settle(inputOf([member('a'), member('b')], { loads }));
    expect(slotsOf(plan, 'a')).toHaveLength(8);
    expect(loadsByOwner(plan, loads).get('a')).toBe(2);
  });

  it('SH-8: ignores loads and weights that are not positive numbers', () => {
    const members = [member('a', { weight: NaN }), member('b', { weight: -1 }), member('c', { weight: Infinity })];
    const { plan } = settle(inputOf(members, { loads: ALL.map((slot) => [NaN, -1, Infinity, 1][slot % 4] ?? 0) }));
    expect(planProblem(plan, 16)).toBeUndefined();
    expect(ownersOf(plan)).toEqual(new Set(['c']));
  });

  it('computes the same plan in whatever order the members are listed', () => {
    const members = ['a', 'b', 'c', 'd'].map((name) => member(name));
    const loads = ALL.map((slot) => (slot * 7) % 5);
    expect(nextPlan(inputOf([...members].reverse(), { loads }))).toEqual(nextPlan(inputOf(members, { loads })));
  });

  it('refuses a previous plan with another number of slots or of a later epoch', () => {
    const previous = settle(inputOf([member('a')])).plan;
    expect(() => nextPlan(inputOf([member('a')], { previous, slots: 8 }))).toThrow('16 slots instead of 8');
    expect(() => nextPlan(inputOf([member('a')], { previous, epoch: 1 }))).toThrow('does not follow epoch 1');
  });
});
