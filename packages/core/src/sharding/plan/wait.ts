import { isSamePlan } from './plan-version.ts';
import type { MemberName, Plan, PlanVersion, SlotAssignment } from './plan.ts';

/** Statement of a member about the slots that it may still write to. */
export interface Acknowledgement {
  /** The plan that the member acts on. `{ epoch: 0, id: '' }` if none. */
  readonly acked: PlanVersion;
  /** Slots that the member has lost and may still write to. The slots that it owns are not among them. */
  readonly held: ReadonlySet<number>;
}

/** A member's Lease, as far as {@link isReleased} needs it. */
export type ObservedMember =
  | { readonly type: 'member'; readonly record: Acknowledgement }
  | { readonly type: 'out' }
  | { readonly type: 'unreadable' };

/** The members of a group, as one of them sees them. */
export interface ObservedMembers {
  readonly members: ReadonlyMap<MemberName, ObservedMember>;
  /** Members that count as out although their Lease does not say so, because it is missing for long enough (rule 4). */
  readonly out: ReadonlySet<MemberName>;
}

/**
 * Whether the owner of a slot may act on it (rule 1): each member in the slot's `wait` is out, or acknowledged the plan
 * that gave the slot to its owner, or a later one, and does not hold the slot. A member without a Lease holds it, unless
 * `out` names the member.
 *
 * @param plan The plan that the owner acknowledged.
 */
export function isReleased(plan: Plan, slot: number, { members, out }: ObservedMembers): boolean {
  const assignment = plan.slots[slot];
  if (!assignment) return false;
  return assignment.wait.every((name) => {
    if (out.has(name)) return true;
    const member = members.get(name);
    if (!member || member.type === 'unreadable') return false;
    return member.type === 'out' || hasLetGo(member.record, slot, assignment.since, plan);
  });
}

function hasLetGo({ acked, held }: Acknowledgement, slot: number, since: number, plan: Plan): boolean {
  if (acked.epoch < since || held.has(slot)) return false;
  return acked.epoch !== plan.epoch || acked.id === plan.id;
}

/**
 * Whether a member keeps a slot when it goes over to the plan of `assignment` (rule 2). Otherwise it lost the slot
 * meanwhile, even if the plan gives it back.
 *
 * @param acked The plan that the member acted on until now.
 */
export function isKept(assignment: SlotAssignment, member: MemberName, acked: PlanVersion): boolean {
  return assignment.owner === member && assignment.since <= acked.epoch;
}

/** Input of {@link waitAfter}. */
export interface WaitInput {
  readonly previous: Plan;
  readonly slot: number;
  /** The owner in the next plan. */
  readonly owner: MemberName;
  readonly out: ReadonlySet<MemberName>;
  /** The last acknowledgement of each member whose Lease can be read. */
  readonly acknowledgements: ReadonlyMap<MemberName, Acknowledgement>;
}

/**
 * Returns the `wait` of a slot in the plan that follows `previous`: its `wait` and owner there, without the new owner,
 * members that are out, and members that acknowledged `previous` and do not hold the slot.
 *
 * The previous owner stays in it even if it acknowledged `previous` and names no held slot: it acts on the slot.
 */
export function waitAfter({ previous, slot, owner, out, acknowledgements }: WaitInput): readonly MemberName[] {
  const assignment = previous.slots[slot];
  if (!assignment) return [];
  const remaining = assignment.wait.filter((name) => {
    if (name === owner || out.has(name)) return false;
    const last = acknowledgements.get(name);
    return !last || !isSamePlan(last.acked, previous) || last.held.has(slot);
  });
  const former = assignment.owner;
  return former === owner || out.has(former) || remaining.includes(former) ? remaining : [...remaining, former].sort();
}
