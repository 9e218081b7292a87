import { slotLoads } from '../plan/loads.ts';
import type { PlanInput, PlanMember } from '../plan/plan-input.ts';
import type { MemberName, Plan, SlotAssignment } from '../plan/plan.ts';
import { nextPlan } from '../plan/planner.ts';
import { isRewriteRecent } from './acquire.ts';
import type { Membership, View } from './membership.ts';
import { isFenceOpen } from './membership.ts';
import { outMembers } from './observations.ts';
import { planStanding } from './plan-standing.ts';

/** The plan that this member would write next. */
export interface Proposal {
  readonly view: View;
  readonly loads: ReadonlyMap<number, number>;
  readonly mayBalance: boolean;
  /** The plan to write. Absent if the present one is right. Its id is set when it is written. */
  readonly plan?: Plan;
  /** The version of the Lease that the plan replaces. Absent if there is none. */
  readonly resourceVersion?: string;
  /** Since when a plan has been needed on this version. */
  readonly neededSince: number;
}

/** Returns the state with a proposal for its view. Computes it again only if something it depends on has changed. */
export function propose(state: Membership, now: number): Membership {
  const { view, loads, mayBalance, proposal: previous } = state;
  if (!view || !isFenceOpen(state, now)) return state;
  if (previous?.view === view && previous.loads === loads && previous.mayBalance === mayBalance) return state;
  const plan = compute(state, view, now);
  const resourceVersion = view.snapshot.plan?.resourceVersion;
  const isSameNeed = previous?.plan !== undefined && previous.resourceVersion === resourceVersion;
  const proposal: Proposal = {
    view,
    loads,
    mayBalance,
    ...(plan && { plan }),
    ...(resourceVersion !== undefined && { resourceVersion }),
    neededSince: isSameNeed ? previous.neededSince : now,
  };
  return { ...state, proposal };
}

/** When the proposal may be written. `Infinity` if there is none. */
export function proposalTime(state: Membership): number {
  const { proposal, rules } = state;
  if (!proposal?.plan) return Infinity;
  return proposal.neededSince + (rank(state, proposal.view) + yielded(state, proposal.view)) * rules.rankStep;
}

/**
 * Number of turns that this member leaves to others when a group starts. One that came first may write a plan that is
 * acted on at once. The plan of this one would be acted on after the eviction time, because it cannot know whether a plan
 * was lost (rule 8).
 */
function yielded(state: Membership, { snapshot }: View): number {
  const { isFirst, rules } = state;
  if (isFirst || snapshot.plan || !isUnacknowledged(snapshot)) return 0;
  return Math.min(snapshot.members.size, Math.floor((2 * rules.renewInterval) / rules.rankStep));
}

/**
 * The position of this member among those that can write plans, starting at 1. Members that stopped renewing do not
 * count, and members that leave come last.
 */
function rank({ name, observations, rules }: Membership, { snapshot, receivedAt }: View): number {
  const own = snapshot.members.get(name);
  const isLeaving = own?.type === 'member' && own.record.state === 'leaving';
  let position = 1;
  for (const other of snapshot.members.values()) {
    const since = observations.get(other.name)?.since ?? -Infinity;
    if (other.type !== 'member' || other.name === name || receivedAt - since > 2 * rules.renewInterval) continue;
    const isOtherLeaving = other.record.state === 'leaving';
    if (isOtherLeaving === isLeaving ? other.name < name : isLeaving) position++;
  }
  return position;
}

function compute(state: Membership, { snapshot }: View, now: number): Plan | undefined {
  const standing = planStanding(snapshot);
  if (standing.type === 'newer') return undefined;
  const out = outMembers(snapshot, state.observations, now);
  const previous = standing.type === 'current' ? standing.plan : undefined;
  const plan = nextPlan(planInput(state, { snapshot, previous, out, now }));
  if (!plan) return undefined;
  if (previous) {
    const { rewritten } = previous;
    return rewritten !== undefined && isRewriteRecent(state, previous, now) ? { ...plan, rewritten } : plan;
  }
  return standing.type === 'missing' && isFirstStart(state, snapshot) ? plan : rewritten(plan, snapshot);
}

interface Inputs {
  readonly snapshot: View['snapshot'];
  readonly previous: Plan | undefined;
  readonly out: ReadonlySet<MemberName>;
  readonly now: number;
}

function planInput(state: Membership, { snapshot, previous, out, now }: Inputs): PlanInput {
  const { observations, rules, slotCount } = state;
  const owners = new Set(previous?.slots.map(({ owner }) => owner));
  const members: PlanMember[] = [];
  const unreadable: MemberName[] = [];
  const reports = new Map<MemberName, ReadonlyMap<number, number>>();
  const overdue = new Set<number>();
  let epoch = Math.max(previous?.epoch ?? 0, state.seen.epoch);
  for (const lease of snapshot.members.values()) {
    if (lease.type === 'unreadable') unreadable.push(lease.name);
    if (lease.type !== 'member') continue;
    const { record } = lease;
    const observation = observations.get(lease.name);
    const isLeaving = record.state === 'leaving';
    const isNew = !owners.has(lease.name) && now - (observation?.firstSeen ?? now) < rules.newcomerDelay;
    members.push({ ...record, isLeaving, isNew });
    if (record.loads) reports.set(lease.name, record.loads);
    epoch = Math.max(epoch, record.acked.epoch);
    if (!isLeaving || now - (observation?.leavingSince ?? now) < rules.warmTimeout) continue;
    previous?.slots.forEach(({ owner }, slot) => {
      if (owner === lease.name) overdue.add(slot);
    });
  }
  const { mayBalance } = state;
  const keys = Array.from({ length: slotCount }, (_, slot) => state.loads.get(slot) ?? 0);
  const isKnown = state.loads.size > 0;
  const loads = slotLoads({ slots: slotCount, ...(isKnown && { keys }), plan: previous, reports });
  return {
    previous,
    slots: slotCount,
    epoch: epoch + 1,
    id: 'proposal',
    members,
    unreadable,
    out,
    loads,
    ...(isKnown && { clusters: keys }),
    mayBalance,
    overdue,
  };
}

/** Whether no member can ever have acted: the group had nothing when this one came, and no member acknowledged a plan. */
function isFirstStart({ isFirst }: Membership, snapshot: View['snapshot']): boolean {
  return isFirst && isUnacknowledged(snapshot);
}

/** Whether no member has acknowledged a plan. */
function isUnacknowledged({ members }: View['snapshot']): boolean {
  return [...members.values()].every((lease) => lease.type === 'member' && lease.record.acked.epoch === 0);
}

/** A plan that replaces one that was lost (rule 8): each member that is not out may hold each slot. */
function rewritten(plan: Plan, { members: leases }: View['snapshot']): Plan {
  const holders = [...leases.values()].filter(({ type }) => type !== 'out').map(({ name }) => name);
  const slots = plan.slots.map(({ owner }): SlotAssignment => ({
    owner,
    since: plan.epoch,
    wait: holders.filter((name) => name !== owner).sort(),
  }));
  const members = [...new Set([...plan.members, ...holders])].sort();
  return { epoch: plan.epoch, id: plan.id, members, slots, rewritten: plan.epoch };
}
