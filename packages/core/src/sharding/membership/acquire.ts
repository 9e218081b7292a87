import type { Plan } from '../plan/plan.ts';
import { isSamePlan } from '../plan/plan-version.ts';
import { isReleased } from '../plan/wait.ts';
import type { Membership } from './membership.ts';
import { isFenceOpen } from './membership.ts';
import { outMembers } from './observations.ts';
import { planStanding } from './plan-standing.ts';
import { evictionTime } from './rules.ts';

/**
 * Acts on the slots that the plan gives to this member and that all others let go of (rule 1). It needs an acknowledged
 * plan that is still the current one, and a snapshot that was read while the fence was open (rule 5).
 */
export function acquire(state: Membership, now: number): Membership {
  const { plan, view, acked, name } = state;
  if (!plan || !view || state.leaving?.isDraining || !isFenceOpen(state, now)) return state;
  if (!isSamePlan(acked, plan)) return state;
  const candidates: number[] = [];
  plan.slots.forEach(({ owner }, slot) => {
    if (owner === name && !state.holds.has(slot)) candidates.push(slot);
  });
  if (candidates.length === 0 || isRewriteRecent(state, plan, now)) return state;
  const { snapshot } = view;
  if (planStanding(snapshot).type !== 'current') return state;
  const out = outMembers(snapshot, state.observations, now);
  const released = candidates.filter((slot) => isReleased(plan, slot, { members: snapshot.members, out }));
  if (released.length === 0) return state;
  const holds = new Map(state.holds);
  for (const slot of released) holds.set(slot, { type: 'active' });
  return { ...state, holds };
}

/** Whether members whose Leases were lost together with the plan may still have an open fence (rule 8). */
export function isRewriteRecent(state: Membership, plan: Plan, now: number): boolean {
  return now < rewriteEnd(state, plan);
}

/** When slots of a rewritten plan may be acquired. The longest eviction time of all known members counts. */
export function rewriteEnd({ rewritten, rules, observations }: Membership, plan: Plan): number {
  if (plan.rewritten === undefined) return -Infinity;
  if (rewritten?.epoch !== plan.rewritten) return Infinity;
  let patience = evictionTime(rules);
  for (const observation of observations.values()) patience = Math.max(patience, observation.patience);
  return rewritten.since + patience;
}
