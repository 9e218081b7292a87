import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { planProblem } from './plan-problem.ts';
import { excess, fleetLoads, inputOf, loadsByOwner, member, membersOf, settle } from './planned-group.fixture.ts';

const WEIGHTS = [1, 2, 4];
const groups = [100, 1000, 10_000].flatMap((clusters) =>
  [3, 5, 10, 50].flatMap((replicas) =>
    [false, true].map((weighted) => ({
      clusters,
      weights: Array.from({ length: replicas }, (_, index) => (weighted ? (WEIGHTS[index % 3] ?? 1) : 1)),
      text: `${clusters} clusters on ${replicas} replicas${weighted ? ' with weights 1:2:4' : ''}`,
    })),
  ),
);

describe('balance by number of clusters', () => {
  it.each(groups)('SH-7: is within bounds for $text, in the first plan and after a start one by one', (group) => {
    const members = membersOf(group.weights);
    const loads = fleetLoads(group.clusters);
    const fleet = { slots: 1024, loads, clusters: loads };
    const bounds = { members, loads, factor: 1.15 };
    const first = settle(inputOf(members, fleet));
    expect(first.plans).toBe(1);
    expect(excess(first.plan, bounds)).toBeLessThanOrEqual(0);

    const alone = settle(inputOf(members.slice(0, 1), fleet)).plan;
    const grown = settle(inputOf(members, { ...fleet, previous: alone }));
    expect(excess(grown.plan, bounds)).toBeLessThanOrEqual(0);
  });

  it.each(groups)('SH-7: moves at most 1.1 times the necessary load when a member joins or leaves: $text', (group) => {
    const members = membersOf(group.weights);
    const loads = fleetLoads(group.clusters);
    const base = { slots: 1024, loads, clusters: loads };
    const before = settle(inputOf(members, base)).plan;
    const newcomer = member('z', { weight: 2 });
    const weights = members.reduce((sum, { weight }) => sum + weight, 0);

    const joined = settle(inputOf([...members, newcomer], { ...base, previous: before }));
    const share = (group.clusters * newcomer.weight) / (weights + newcomer.weight);
    // Slots are moved as a whole.
    expect(joined.moved).toBeLessThanOrEqual(Math.max(1.1 * share, Math.ceil(share)));
    expect(excess(joined.plan, { members: [...members, newcomer], loads, factor: 1.15 })).toBeLessThanOrEqual(0);

    for (const { name } of members.slice(0, 3)) {
      const leaving = members.map((one) => ({ ...one, isLeaving: one.name === name }));
      const left = settle(inputOf(leaving, { ...base, previous: before }));
      const owned = loadsByOwner(before, loads).get(name) ?? 0;
      expect(left.moved).toBeLessThanOrEqual(Math.max(1.1 * owned, owned + 1));
      const staying = leaving.filter(({ isLeaving }) => !isLeaving);
      expect(excess(left.plan, { members: staying, loads, factor: 1.15 })).toBeLessThanOrEqual(0);

      const crashed = settle(inputOf(staying, { ...base, previous: before, out: new Set([name]) }));
      expect(crashed.moved).toBeLessThanOrEqual(Math.max(1.1 * owned, owned + 1));
      expect(excess(crashed.plan, { members: staying, loads, factor: 1.15 })).toBeLessThanOrEqual(0);
    }
  });
});

describe('balance by load', () => {
  it.each(groups.filter(({ clusters }) => clusters > 100))(
    'SH-8: is within bounds after three rounds if 1 % of the clusters become 100 times as busy: $text',
    (group) => {
      const members = membersOf(group.weights);
      const input = inputOf(members, { slots: 1024, clusters: fleetLoads(group.clusters) });
      const before = settle({ ...input, loads: fleetLoads(group.clusters) }).plan;
      const loads = fleetLoads(group.clusters, { loadOf: (cluster) => (cluster % 100 === 7 ? 100 : 1) });
      // A round prepares slots and gives them: the plan that gives some already prepares the next ones.
      const { plan } = settle({ ...input, loads, previous: before }, { rounds: 3 });
      expect(excess(plan, { members, loads, factor: 1.25 })).toBeLessThanOrEqual(0);
      const end = settle({ ...input, loads, previous: before });
      expect(excess(end.plan, { members, loads, factor: 1.15 })).toBeLessThanOrEqual(0);
    },
  );

  it('SH-8: ends within bounds, and then plans nothing more, for any loads, weights and changes of members', () => {
    const slots = 32;
    const load = fc.oneof(
      fc.constant(0),
      fc.integer({ min: 1, max: 5 }),
      fc.double({ min: 0, max: 1000, noNaN: true }),
      fc.constant(1e6),
    );
    const step = fc.record({
      weights: fc.array(fc.constantFrom(0, 0.5, 1, 1, 1, 2, 4), { minLength: 1, maxLength: 9 }),
      loads: fc.array(load, { minLength: slots, maxLength: slots }),
    });
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 4 }), (steps) => {
        let previous;
        for (const { weights, loads } of steps) {
          const members = membersOf(weights);
          const present = new Set(members.map(({ name }) => name));
          const out = new Set(previous?.members.filter((name) => !present.has(name)));
          const settled = settle(inputOf(members, { slots, previous, loads, out }), { limit: 200 });
          expect(planProblem(settled.plan, slots)).toBeUndefined();
          const weighted = weights.some((weight) => weight > 0)
            ? members
            : members.map((one) => ({ ...one, weight: 1 }));
          const counted = loads.some((one) => one > 0) ? loads : loads.fill(1);
          expect(excess(settled.plan, { members: weighted, loads: counted, factor: 1.15 })).toBeLessThanOrEqual(0);
          previous = settled.plan;
        }
      }),
      { numRuns: 150 },
    );
  });
});
