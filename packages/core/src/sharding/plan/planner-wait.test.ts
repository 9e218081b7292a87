import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { MemberName, Plan } from './plan.ts';
import { planProblem } from './plan-problem.ts';
import { inputOf, member } from './planned-group.fixture.ts';
import { nextPlan } from './planner.ts';
import { isKept, isReleased } from './wait.ts';
import type { ObservedMember } from './wait.ts';

const NAMES = ['a', 'b', 'c', 'd'];
const SLOTS = 4;

/** A member as rules 1 and 2 have it act. */
interface Actor {
  acked: { readonly epoch: number; readonly id: string };
  plan: Plan | undefined;
  /** Slots that the member acts on. */
  readonly active: Set<number>;
  /** Slots that the member lost and may still write to. */
  readonly held: Set<number>;
}

/** Plays members that follow plans with delays of any length, and checks after each step that no slot has two holders. */
class Group {
  readonly #actors = new Map<MemberName, Actor>();
  readonly #out = new Set<MemberName>();
  #plan: Plan | undefined;

  constructor() {
    for (const name of NAMES) {
      this.#actors.set(name, { acked: { epoch: 0, id: '' }, plan: undefined, active: new Set(), held: new Set() });
    }
  }

  get plan(): Plan | undefined {
    return this.#plan;
  }

  /** Writes a plan. Weights decide who is given the slots, so that they go back and forth. */
  replan(weights: readonly number[], { isWarm }: { readonly isWarm: boolean }): void {
    const epoch = (this.#plan?.epoch ?? 0) + 1;
    const members = NAMES.flatMap((name, index) => {
      const actor = this.#actors.get(name);
      if (!actor || this.#out.has(name)) return [];
      const warm = new Set(isWarm ? Array.from({ length: SLOTS }, (_, slot) => slot) : []);
      return [member(name, { weight: weights[index] ?? 1, acked: actor.acked, held: new Set(actor.held), warm })];
    });
    const plan = nextPlan(inputOf(members, { previous: this.#plan, slots: SLOTS, epoch, out: this.#out }));
    if (plan) expect(planProblem(plan, SLOTS)).toBeUndefined();
    this.#plan = plan ?? this.#plan;
  }

  /** Reads the plan, and acknowledges it with everything lost in `held`. */
  adopt(name: MemberName): void {
    const actor = this.#actors.get(name);
    if (!actor || !this.#plan || this.#out.has(name)) return;
    for (const slot of actor.active) {
      const assignment = this.#plan.slots[slot];
      if (assignment && isKept(assignment, name, actor.acked)) continue;
      actor.active.delete(slot);
      actor.held.add(slot);
    }
    actor.plan = this.#plan;
    actor.acked = { epoch: this.#plan.epoch, id: this.#plan.id };
  }

  letGo(name: MemberName, slot: number): void {
    this.#actors.get(name)?.held.delete(slot);
  }

  /** Acts on the slots that rule 1 allows. */
  acquire(name: MemberName): void {
    const actor = this.#actors.get(name);
    if (!actor?.plan || this.#out.has(name)) return;
    const lease = ({ acked, held }: Actor): ObservedMember => ({ type: 'member', record: { acked, held } });
    const members = new Map([...this.#actors].map(([other, one]) => [other, lease(one)]));
    for (let slot = 0; slot < SLOTS; slot++) {
      if (actor.plan.slots[slot]?.owner !== name || actor.held.has(slot)) continue;
      if (isReleased(actor.plan, slot, { members, out: this.#out })) actor.active.add(slot);
    }
  }

  evict(name: MemberName): void {
    const actor = this.#actors.get(name);
    if (!actor || this.#out.size === NAMES.length - 1) return;
    this.#out.add(name);
    actor.active.clear();
    actor.held.clear();
  }

  /** Each holder of a slot is its owner, or is in its wait. No slot has two holders. */
  check(): void {
    for (let slot = 0; slot < SLOTS; slot++) {
      const holders = [...this.#actors].filter(([, { active, held }]) => active.has(slot) || held.has(slot));
      const names = holders.map(([name]) => name);
      if (names.length > 1) throw new Error(`slot ${slot} is held by ${names.join(' and ')}`);
      const assignment = this.#plan?.slots[slot];
      for (const name of names) {
        if (name !== assignment?.owner && !assignment?.wait.includes(name)) throw new Error(`${name} is forgotten`);
      }
    }
  }
}

describe('nextPlan and isReleased', () => {
  it('SH-2: keep each holder of a slot in wait until it let go or is out, over any sequence of plans', () => {
    let handovers = 0;
    const name = fc.constantFrom(...NAMES);
    const step = fc.oneof(
      {
        weight: 4,
        arbitrary: fc.tuple(fc.array(fc.constantFrom(0, 0, 1), { minLength: 4, maxLength: 4 }), fc.boolean()).map(
          ([weights, isWarm]) =>
            (group: Group) =>
              group.replan(weights, { isWarm }),
        ),
      },
      { weight: 6, arbitrary: name.map((who) => (group: Group) => group.adopt(who)) },
      { weight: 6, arbitrary: name.map((who) => (group: Group) => group.acquire(who)) },
      {
        weight: 6,
        arbitrary: fc.tuple(name, fc.nat({ max: SLOTS - 1 })).map(
          ([who, slot]) =>
            (group: Group) =>
              group.letGo(who, slot),
        ),
      },
      { weight: 1, arbitrary: name.map((who) => (group: Group) => group.evict(who)) },
    );
    fc.assert(
      fc.property(fc.array(step, { minLength: 20, maxLength: 120 }), (steps) => {
        const group = new Group();
        for (const act of steps) {
          const before = group.plan;
          act(group);
          group.check();
          const changed = group.plan?.slots.some(({ owner }, slot) => before && before.slots[slot]?.owner !== owner);
          if (changed) handovers += 1;
        }
      }),
      { numRuns: 150, seed: 42 },
    );
    expect(handovers).toBeGreaterThan(100);
  });
});
