import type { Membership } from './membership.ts';
import type { MembershipRules } from './rules.ts';

/** Number of members from which on Leases are renewed less often. */
const MANY = 20;

/** Maximum factor by which times grow. */
export const MAX_GROWTH = 10;

/**
 * Returns the rules for a group with this number of members. Each renewal is an event for each member, so above 20 members
 * the time between renewals grows with their number, and the times that depend on it.
 */
export function grownRules(rules: MembershipRules, members: number): MembershipRules {
  if (members <= MANY) return rules;
  const { leaseDuration, renewInterval, margin } = rules;
  const factor = Math.min(members / MANY, MAX_GROWTH);
  const grown = (duration: number) => Math.round(duration * factor);
  return {
    ...rules,
    leaseDuration: grown(leaseDuration),
    renewInterval: grown(renewInterval),
    margin: grown(margin),
  };
}

/**
 * Returns the number of members that renew their Leases, with this one. Members that crashed and are not yet evicted do
 * not count: with them, the time until they are evicted would grow, and with it their number.
 */
export function livingMembers(
  { view, observations, name }: Pick<Membership, 'view' | 'observations' | 'name'>,
  now: number,
): number {
  let count = 1;
  for (const [other, lease] of view?.snapshot.members ?? []) {
    const changedAt = observations.get(other)?.changedAt;
    if (other === name || lease.type !== 'member' || changedAt === undefined) continue;
    if (now - changedAt <= lease.record.leaseDuration / 2) count += 1;
  }
  return count;
}
