import { isBehind } from '../plan/plan-version.ts';
import type { MemberName, Plan, PlanVersion } from '../plan/plan.ts';
import type { HubSnapshot } from './hub-request.ts';

/**
 * The standing of the plan in a snapshot:
 *
 * - `current`: it may be acted on.
 * - `missing`, `unreadable`: it has to be rewritten.
 * - `behind`: it is older than an acknowledgement, because it was rolled back. It has to be rewritten, too.
 * - `newer`: its format is newer than this process can read. It is never rewritten.
 */
export type PlanStanding =
  | { readonly type: 'current'; readonly plan: Plan }
  | { readonly type: 'missing' }
  | { readonly type: 'unreadable' }
  | { readonly type: 'behind'; readonly plan: Plan }
  | { readonly type: 'newer'; readonly format: number };

export function planStanding({ plan: lease, members }: HubSnapshot): PlanStanding {
  if (!lease) return { type: 'missing' };
  if (lease.type === 'newer') return { type: 'newer', format: lease.format };
  if (lease.type === 'unreadable') return { type: 'unreadable' };
  const { plan } = lease;
  for (const member of members.values()) {
    if (member.type === 'member' && isBehind(plan, member.record.acked)) return { type: 'behind', plan };
  }
  return { type: 'current', plan };
}

/** Says how the plan contradicts the one that was seen before, if it does (rule 8). */
export function contradiction(seen: PlanVersion, standing: PlanStanding): string | undefined {
  if (seen.epoch === 0) return undefined;
  if (standing.type === 'missing') return 'the plan was deleted';
  if (standing.type !== 'current' && standing.type !== 'behind') return undefined;
  if (!isBehind(standing.plan, seen)) return undefined;
  return `the plan went back: epoch ${standing.plan.epoch} after epoch ${seen.epoch}`;
}

/** The members that a plan refers to: those it knows, and those that may still hold slots. */
export function namedMembers(plan: Plan): Set<MemberName> {
  const names = new Set(plan.members);
  for (const { wait } of plan.slots) for (const name of wait) names.add(name);
  return names;
}
