import type { MembershipRules } from './rules.ts';

/** Number of members from which on Leases are renewed less often. */
const MANY = 20;

/**
 * Returns the rules for a group with this number of members. Each renewal is an event for each member, so above 20 members
 * the time between renewals grows with their number, and the times that depend on it.
 */
export function grownRules(rules: MembershipRules, members: number): MembershipRules {
  if (members <= MANY) return rules;
  const { leaseDuration, renewInterval, margin } = rules;
  const grown = (duration: number) => Math.round((duration * members) / MANY);
  return {
    ...rules,
    leaseDuration: grown(leaseDuration),
    renewInterval: grown(renewInterval),
    margin: grown(margin),
  };
}
