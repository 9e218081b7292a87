import type { Plan } from '../plan/plan.ts';
import type { Membership, SlotHold } from './membership.ts';
import { isFenceOpen } from './membership.ts';
import { outMembers } from './observations.ts';
import { planStanding } from './plan-standing.ts';
import { isReleased } from '../plan/wait.ts';

/**
 * Adopts a plan (rule 2). A slot is kept if the plan gave it to this member no later than the plan it acted on before.
 * Otherwise it was lost meanwhile, even if the plan gives it back, and is drained.
 */
export function adopt(state: Membership, plan: Plan, now: number): Membership {
  const before = state.plan?.epoch ?? 0;
  const holds = new Map<number, SlotHold>();
  for (const [slot, hold] of state.holds) {
    const assignment = plan.slots[slot];
    const isKept = assignment?.owner === state.name && assignment.since <= before;
    holds.set(slot, hold.type === 'active' && !isKept ? { type: 'draining', until: now + state.rules.drainTimeout } : hold);
  }
  const preparing = new Map<number, number>();
  plan.slots.forEach(({ next }, slot) => {
    if (next === state.name) preparing.set(slot, state.preparing.get(slot) ?? now);
  });
  const next: Membership = { ...state, plan, holds, preparing };
  return { ...next, warm: new Set([...state.warm].filter((slot) => holds.has(slot) || isNamed(next, plan, slot))) };
}

function isNamed({ name }: Membership, plan: Plan, slot: number): boolean {
  return plan.slots[slot]?.owner === name || plan.slots[slot]?.next === name;
}

/**
 * Acts on the slots that the plan gives to this member and that all others let go of (rule 1). It needs an acknowledged
 * plan that is still the current one, and a snapshot that was read while the fence was open (rule 5).
 */
export function acquire(state: Membership, now: number): Membership {
  const { plan, view, acked, name } = state;
  if (!plan || !view || state.leaving?.isDraining || !isFenceOpen(state, now)) return state;
  if (acked.epoch !== plan.epoch || acked.id !== plan.id) return state;
  if (planStanding(view.snapshot, state.slotCount).type !== 'current') return state;
  if (isRewriteRecent(state, now)) return state;
  const out = outMembers(view.snapshot, state.observations, now);
  const acquired: number[] = [];
  plan.slots.forEach(({ owner }, slot) => {
    if (owner !== name || state.holds.has(slot)) return;
    if (isReleased(plan, slot, { members: view.snapshot.members, out })) acquired.push(slot);
  });
  if (acquired.length === 0) return state;
  const holds = new Map(state.holds);
  for (const slot of acquired) holds.set(slot, { type: 'active' });
  return { ...state, holds };
}

/**
 * Whether members whose Leases were deleted together with the plan may still have an open fence (rule 8). The
 * largest time of all known members counts.
 */
export function isRewriteRecent({ plan, rewritten, rules, observations }: Membership, now: number): boolean {
  if (plan?.rewritten === undefined) return false;
  if (rewritten?.epoch !== plan.rewritten) return true;
  const patience = Math.max(rules.leaseDuration + rules.margin, ...observations.values().map((one) => one.patience));
  return now - rewritten.since < patience;
}
