import type { Plan } from '../plan/plan.ts';
import { isKept } from '../plan/wait.ts';
import type { Membership, SlotHold } from './membership.ts';

/**
 * Adopts a plan (rule 2). A slot is kept if the plan gave it to this member no later than the plan it acted on before.
 * Otherwise it was lost meanwhile, even if the plan gives it back, and is drained.
 */
export function adopt(state: Membership, plan: Plan, now: number): Membership {
  const { name, rules } = state;
  const before = { epoch: state.plan?.epoch ?? 0, id: state.plan?.id ?? '' };
  const holds = new Map<number, SlotHold>();
  for (const [slot, hold] of state.holds) {
    const assignment = plan.slots[slot];
    const isLost = hold.type === 'active' && !(assignment && isKept(assignment, name, before));
    holds.set(slot, isLost ? { type: 'draining', until: now + rules.drainTimeout } : hold);
  }
  const preparing = new Map<number, number>();
  const warm = new Set<number>();
  plan.slots.forEach(({ owner, next }, slot) => {
    if (next === name) preparing.set(slot, state.preparing.get(slot) ?? now);
    if (state.warm.has(slot) && (owner === name || next === name)) warm.add(slot);
  });
  return { ...state, plan, holds, preparing, warm };
}

/** Starts to drain all slots, whatever the plan says. */
export function drainAll(state: Membership, now: number): Membership {
  const holds = new Map<number, SlotHold>();
  for (const [slot, hold] of state.holds) {
    holds.set(slot, hold.type === 'active' ? { type: 'draining', until: now + state.rules.drainTimeout } : hold);
  }
  return { ...state, holds };
}

/** Closes all slots at once: nothing is written any more. */
export function closeAll(state: Membership, now: number): Membership {
  const holds = new Map<number, SlotHold>();
  for (const [slot, hold] of state.holds) {
    holds.set(slot, hold.type === 'closing' ? hold : { type: 'closing', until: now + state.rules.writeDeadline });
  }
  return { ...state, holds };
}
