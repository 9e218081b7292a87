import type { PlanInput, PlanMember } from './plan-input.ts';
import type { MemberName } from './plan.ts';
import type { Receiver } from './shares.ts';

/** The members of a group by what a plan may do with them. */
export interface Roster {
  /** Members that may be given slots, sorted. */
  readonly receivers: readonly Receiver[];
  /** Members that give all their slots away. Empty if no other member can take them. */
  readonly leaving: ReadonlySet<MemberName>;
  /** Whether all members leave. Then slots move only away from members that are out. */
  readonly allLeave: boolean;
  /** Members whose Leases can be read, and that are not out. */
  readonly known: ReadonlyMap<MemberName, PlanMember>;
  /** The members of the next plan, sorted. */
  readonly members: readonly MemberName[];
}

/**
 * Returns the roster of the next plan, or `undefined` if no member can own slots.
 *
 * Slots go to settled members with a weight. If there are none, to new members with a weight, then to settled members
 * without one, then to new ones without one, and only then to members that are leaving.
 */
export function rosterOf({ previous, members, unreadable = [], out }: PlanInput): Roster | undefined {
  const known = new Map(members.filter(({ name }) => !out.has(name)).map((member) => [member.name, member]));
  const inUse = new Set(previous?.slots.flatMap(({ owner, next }) => (next === undefined ? [owner] : [owner, next])));
  const isNew = (member: PlanMember) => member.isNew && !inUse.has(member.name);
  const staying = [...known.values()].filter(({ isLeaving }) => !isLeaving);
  const tiers = [
    staying.filter((member) => !isNew(member) && hasWeight(member)),
    staying.filter((member) => isNew(member) && hasWeight(member)),
    staying.filter((member) => !isNew(member)),
    staying,
    [...known.values()],
  ];
  const tier = tiers.find((candidates) => candidates.length > 0);
  if (!tier) return undefined;
  const receivers = tier.map((member) => ({ name: member.name, weight: tier.some(hasWeight) ? weightOf(member) : 1 }));
  const names = new Set([
    ...(previous ? [...previous.members] : [...known.keys(), ...unreadable]),
    ...staying.filter((member) => !isNew(member)).map(({ name }) => name),
    ...receivers.map(({ name }) => name),
  ]);
  return {
    receivers: receivers.filter(({ weight }) => weight > 0).sort((a, b) => (a.name < b.name ? -1 : 1)),
    leaving: new Set(staying.length === 0 ? [] : [...known.keys()].filter((name) => known.get(name)?.isLeaving)),
    allLeave: staying.length === 0,
    known,
    members: [...names].filter((name) => !out.has(name)).sort(),
  };
}

function hasWeight(member: PlanMember): boolean {
  return weightOf(member) > 0;
}

/** The weight within limits that keep sums exact enough: 0, or from 2^-20 to 2^20. */
function weightOf({ weight }: PlanMember): number {
  return weight > 0 ? Math.min(Math.max(weight, 2 ** -20), 2 ** 20) : 0;
}
