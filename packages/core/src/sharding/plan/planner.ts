import { balance } from './balance.ts';
import { Draft } from './draft.ts';
import type { PlanInput, PlanLimits } from './plan-input.ts';
import { DEFAULT_LIMITS } from './plan-input.ts';
import type { MemberName, Plan } from './plan.ts';
import type { Roster } from './roster.ts';
import { rosterOf } from './roster.ts';

/**
 * Limits for slots without load. They are spread by number, so that clusters that are added later are spread too. The
 * tolerance is larger than for load because each move costs a plan and gains little.
 */
const EMPTY_LIMITS: PlanLimits = { tolerance: 0.5, target: 0.1, prepared: Infinity, preparedClusters: Infinity };

/**
 * Returns the plan that should follow `previous`, or `undefined` if `previous` is right and within bounds, or if no
 * member can own slots.
 *
 * - Members that are out are dropped, and their slots are given to other members in the same plan.
 * - All other moves take two plans. The first names the next owner, which prepares the slot. A later one gives it the slot
 *   once it is warm.
 *
 * The result depends on nothing but the input, so all members that see the same compute the same plan.
 *
 * @throws RangeError if `previous` has another number of slots, or its epoch is not lower than `epoch`.
 */
export function nextPlan(input: PlanInput): Plan | undefined {
  const { previous, slots, epoch, overdue } = input;
  if (previous && previous.slots.length !== slots) {
    throw new RangeError(`the plan has ${previous.slots.length} slots instead of ${slots}`);
  }
  if (previous && previous.epoch >= epoch) {
    throw new RangeError(`epoch ${epoch} does not follow epoch ${previous.epoch}`);
  }
  const roster = rosterOf(input);
  if (!roster) return undefined;
  const draft = new Draft(input, roster);

  const abandoned = draft.slots((slot) => draft.owner(slot) === undefined);
  draft.assignNext(abandoned.filter((slot) => draft.next(slot) === undefined));
  draft.handOver(abandoned);

  const warm = warmSlots(draft, { input, roster });
  draft.handOver(batches(draft, warm));

  const left = draft.slots((slot) => isOwnerLeaving(draft, slot, roster) && draft.next(slot) === undefined);
  draft.assignNext(left);
  draft.handOver(left.filter((slot) => overdue?.has(slot)));

  if (input.mayBalance && !roster.allLeave) prepareForBalance(draft, { input, roster });
  if (!draft.differs()) return undefined;
  // A plan is due anyway, so what is warm need not wait for its batch.
  draft.handOver(warm);
  return draft.plan();
}

/** Returns the slots that can be given to their next owners now. */
function warmSlots(draft: Draft, { input, roster }: { readonly input: PlanInput; readonly roster: Roster }): number[] {
  return draft.slots((slot) => {
    const next = draft.next(slot);
    if (next === undefined) return false;
    if (!input.mayBalance && !isOwnerLeaving(draft, slot, roster)) return false;
    return roster.known.get(next)?.warm.has(slot) === true || input.overdue?.has(slot) === true;
  });
}

/**
 * Returns the warm slots of those next owners for which at least half of what they prepare is warm. So a slow cluster
 * does not hold back the others, and there is not a plan for each slot.
 */
function batches(draft: Draft, warm: readonly number[]): number[] {
  const deficit = new Map<MemberName, number>();
  const count = (slot: number, step: number) => {
    const next = draft.next(slot);
    if (next !== undefined) deficit.set(next, (deficit.get(next) ?? 0) + step);
  };
  for (const slot of draft.slots((one) => draft.next(one) !== undefined)) count(slot, 1);
  for (const slot of warm) count(slot, -2);
  return warm.filter((slot) => (deficit.get(draft.next(slot) ?? '') ?? 0) <= 0);
}

function isOwnerLeaving(draft: Draft, slot: number, { leaving }: Roster): boolean {
  const owner = draft.owner(slot);
  return owner !== undefined && leaving.has(owner);
}

/** Names the next owners of slots that should move for balance, as far as the limits allow. */
function prepareForBalance(
  draft: Draft,
  { input, roster }: { readonly input: PlanInput; readonly roster: Roster },
): void {
  const receivers = roster.receivers.map(({ name }) => name);
  const passes = [
    { shares: draft.loaded, limits: { ...DEFAULT_LIMITS, ...input.limits } },
    { shares: draft.empty, limits: EMPTY_LIMITS },
  ];
  const clustersOf = (slot: number) => Math.max(1, input.clusters?.[slot] ?? 1);
  const prepared = new Map<MemberName, { readonly load: number; readonly clusters: number }>();
  const preparedBy = (next: MemberName) => prepared.get(next) ?? { load: 0, clusters: 0 };
  const prepare = (next: MemberName, slot: number) => {
    const { load, clusters } = preparedBy(next);
    prepared.set(next, { load: load + draft.load(slot), clusters: clusters + clustersOf(slot) });
  };
  for (const slot of draft.slots((one) => draft.next(one) !== undefined)) prepare(draft.next(slot) ?? '', slot);
  for (const { shares, limits } of passes) {
    for (const { slot, load, to } of balance({ shares, limits, movable: draft.movable(shares), receivers })) {
      const before = preparedBy(to);
      const isWithin =
        before.load + load <= limits.prepared * shares.fair(to) ||
        before.clusters + clustersOf(slot) <= limits.preparedClusters;
      if (before.load > 0 && !isWithin) continue;
      draft.prepare(slot, to);
      prepare(to, slot);
    }
  }
}
