import type { Plan, PlanVersion } from '../plan/plan.ts';
import type { HubSnapshot } from './hub-request.ts';

/**
 * What a snapshot says about the plan:
 *
 * - `current`: it may be acted on.
 * - `missing`, `unreadable`: it has to be rewritten. A plan that is older than an acknowledgement counts as unreadable,
 *   because it was rolled back.
 * - `newer`: its format is newer than this process can read. It is never rewritten.
 */
export type PlanStanding =
  | { readonly type: 'current'; readonly plan: Plan }
  | { readonly type: 'missing' }
  | { readonly type: 'unreadable' }
  | { readonly type: 'newer'; readonly format: number };

export function planStanding({ plan: lease, members }: HubSnapshot, slotCount: number): PlanStanding {
  if (!lease) return { type: 'missing' };
  if (lease.type === 'newer') return lease;
  if (lease.type === 'unreadable' || lease.plan.slots.length !== slotCount) return { type: 'unreadable' };
  for (const member of members.values()) {
    if (member.type === 'member' && isAfter(member.record.acked, lease.plan)) return { type: 'unreadable' };
  }
  return { type: 'current', plan: lease.plan };
}

/** Whether `version` cannot be a version of the history that leads to `plan`. */
function isAfter(version: PlanVersion, plan: PlanVersion): boolean {
  return version.epoch > plan.epoch || (version.epoch === plan.epoch && version.id !== plan.id);
}

/** Says how `plan` contradicts the plan that was seen before, if it does (rule 8). */
export function contradiction(seen: PlanVersion, standing: PlanStanding): string | undefined {
  if (seen.epoch === 0) return undefined;
  if (standing.type === 'missing') return 'the plan was deleted';
  if (standing.type !== 'current') return undefined;
  const { plan } = standing;
  if (plan.epoch < seen.epoch) return `the plan went back from epoch ${seen.epoch} to ${plan.epoch}`;
  if (plan.epoch === seen.epoch && plan.id !== seen.id) return `epoch ${plan.epoch} has two plans`;
  return undefined;
}

/** The members that a plan refers to: those it knows, and those that may still hold slots. */
export function namedMembers(plan: Plan | undefined): Set<string> {
  const names = new Set(plan?.members);
  for (const { wait } of plan?.slots ?? []) for (const name of wait) names.add(name);
  return names;
}
