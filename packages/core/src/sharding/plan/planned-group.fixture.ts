import { slotOf } from './slot.ts';
import { nextPlan } from './planner.ts';
import type { PlanInput, PlanMember } from './plan-input.ts';
import type { MemberName, Plan } from './plan.ts';

/** Returns a settled member that has acknowledged nothing. */
export function member(name: MemberName, changes: Partial<PlanMember> = {}): PlanMember {
  const acked = { epoch: 0, id: '' };
  return { name, weight: 1, isLeaving: false, isNew: false, acked, held: new Set(), warm: new Set(), ...changes };
}

/** Returns settled members `m-00`, `m-01`, … with the given weights. */
export function membersOf(weights: readonly number[]): PlanMember[] {
  return weights.map((weight, index) => member(`m-${String(index).padStart(2, '0')}`, { weight }));
}

/** Returns the input of the plan that follows `previous`. */
export function inputOf(members: readonly PlanMember[], changes: Partial<PlanInput> = {}): PlanInput {
  const epoch = (changes.previous?.epoch ?? 0) + 1;
  return { slots: 16, epoch, id: `id-${epoch}`, members, out: new Set(), mayBalance: true, ...changes };
}

/** Returns a plan, or throws if none is due. */
export function planned(input: PlanInput): Plan {
  const plan = nextPlan(input);
  if (!plan) throw new Error('no plan is due');
  return plan;
}

export interface Settled {
  readonly plan: Plan;
  /** Number of plans that were written. */
  readonly plans: number;
  /** Load of the slots that changed their owner, each time they did. */
  readonly moved: number;
}

/**
 * Plans until no plan is due. Between the plans, each member acknowledges the plan without holding anything, and
 * prepares all that it should.
 *
 * @param options.limit More plans than this are an error.
 * @param options.rounds Plans that name next owners, and are followed by one that gives them their slots. Default: all.
 */
export function settle(
  input: PlanInput,
  { limit = 1000, rounds = Infinity }: { readonly limit?: number; readonly rounds?: number } = {},
): Settled {
  let { previous } = input;
  let plans = 0;
  let moved = 0;
  while (plans <= rounds) {
    const epoch = (previous?.epoch ?? 0) + 1;
    const plan = nextPlan({ ...input, previous, epoch, id: `id-${epoch}`, members: obedient(input.members, previous) });
    if (!plan) break;
    plans += 1;
    if (plans > limit) throw new Error(`no end after ${limit} plans`);
    const before = previous;
    plan.slots.forEach(({ owner }, slot) => {
      if (before && before.slots[slot]?.owner !== owner) moved += input.loads?.[slot] ?? 1;
    });
    previous = plan;
  }
  if (!previous) throw new Error('no plan is due');
  return { plan: previous, plans, moved };
}

/** Returns the members as they are when they have done what the plan says. */
export function obedient(members: readonly PlanMember[], plan: Plan | undefined): PlanMember[] {
  if (!plan) return [...members];
  const warm = new Map<MemberName, Set<number>>();
  plan.slots.forEach(({ next }, slot) => {
    if (next === undefined) return;
    const slots = warm.get(next) ?? new Set();
    warm.set(next, slots.add(slot));
  });
  const acked = { epoch: plan.epoch, id: plan.id };
  return members.map((one) => ({ ...one, acked, warm: warm.get(one.name) ?? new Set() }));
}

/** Returns the load that each member owns, also of those that own nothing. */
export function loadsByOwner(plan: Plan, loads?: ArrayLike<number>): Map<MemberName, number> {
  const owned = new Map(plan.members.map((name) => [name, 0]));
  plan.slots.forEach(({ owner }, slot) => owned.set(owner, (owned.get(owner) ?? 0) + (loads?.[slot] ?? 1)));
  return owned;
}

/** Returns the load of each slot of a fleet of `cluster-0`, `cluster-1`, …. */
export function fleetLoads(
  clusters: number,
  { slots = 1024, loadOf = () => 1 }: { readonly slots?: number; readonly loadOf?: (cluster: number) => number } = {},
): Float64Array {
  const loads = new Float64Array(slots);
  for (let cluster = 0; cluster < clusters; cluster++) {
    const slot = slotOf(`cluster-${cluster}`, { slots, hash: 'mixed' });
    loads[slot] = (loads[slot] ?? 0) + loadOf(cluster);
  }
  return loads;
}

/**
 * Returns how far the most overloaded member is above max(`factor` × fair share, fair share + heaviest slot). Not
 * positive if all members are within bounds.
 */
export function excess(
  plan: Plan,
  { members, loads, factor }: { members: readonly PlanMember[]; loads?: ArrayLike<number>; factor: number },
): number {
  const sizes = plan.slots.map((_, slot) => loads?.[slot] ?? 1);
  const total = sizes.reduce((sum, load) => sum + load, 0);
  const heaviest = Math.max(...sizes);
  const weights = members.reduce((sum, { weight }) => sum + weight, 0);
  const owned = loadsByOwner(plan, loads);
  return Math.max(
    ...members.map(({ name, weight }) => {
      const fair = (total * weight) / weights;
      return (owned.get(name) ?? 0) - Math.max(factor * fair, fair + heaviest) - 1e-6 * total;
    }),
  );
}
