import type { MemberName } from '../plan/plan.ts';
import { isSamePlan } from '../plan/plan-version.ts';
import { acknowledge } from './acknowledge.ts';
import { adopt, closeAll, drainAll } from './adopt.ts';
import { end } from './end.ts';
import type { HubSnapshot } from './hub-request.ts';
import type { Membership } from './membership.ts';
import { observe } from './observations.ts';
import type { PlanStanding } from './plan-standing.ts';
import { contradiction, namedMembers, planStanding } from './plan-standing.ts';
import { evictionTime } from './rules.ts';

/** When a snapshot was requested and received. */
export interface ReadTimes {
  readonly sentAt: number;
  readonly now: number;
}

/** Learns from a snapshot: the own Lease first, then the plan, then the other members. */
export function readSnapshot(state: Membership, snapshot: HubSnapshot, times: ReadTimes): Membership {
  const { now } = times;
  const owned = readOwnLease(state, snapshot, now);
  if (owned.end) return owned;
  const standing = planStanding(snapshot);
  const problem = contradiction(state.seen, standing);
  if (problem !== undefined) return startOver(owned, problem, now);
  const observed = observeMembers(owned, { snapshot, standing, ...times });
  return leave(readPlan(observed, { snapshot, standing, now }), snapshot, now);
}

/** Resolves a lost answer of a renewal, and notices an eviction or a rollback of the own Lease. */
function readOwnLease(state: Membership, snapshot: HubSnapshot, now: number): Membership {
  const own = snapshot.members.get(state.name);
  const { lease } = state;
  if (!own) {
    if (lease.known > 0) return startOver(state, 'the own Lease was deleted', now);
    return state.leaving ? end(state, { reason: 'released', detail: 'left before it joined' }) : state;
  }
  if (own.type === 'out') {
    if (state.leaving) return end(state, { reason: 'released', detail: 'left the group' });
    return end(state, { reason: 'evicted', detail: 'another member evicted this one', rejoinAt: now });
  }
  if (own.type === 'unreadable') return startOver(state, `the own Lease cannot be read: ${own.reason}`, now);
  const { record, resourceVersion } = own;
  if (record.sequence < lease.known) return startOver(state, 'the own Lease was rolled back', now);
  if (record.sequence > lease.sent) return startOver(state, 'another process wrote the own Lease', now);
  return acknowledge(state, { record, resourceVersion, now });
}

/** Closes, and stays silent until all that others may believe of this incarnation has expired (rule 8). */
function startOver(state: Membership, detail: string, now: number): Membership {
  return end(state, { reason: 'inconsistent', detail, rejoinAt: now + evictionTime(state.rules) });
}

interface Reading {
  readonly snapshot: HubSnapshot;
  readonly standing: PlanStanding;
  readonly now: number;
}

function observeMembers(state: Membership, { snapshot, standing, sentAt, now }: Reading & ReadTimes): Membership {
  const named = new Set<MemberName>();
  if (state.plan) for (const name of namedMembers(state.plan)) named.add(name);
  if (standing.type === 'current') for (const name of namedMembers(standing.plan)) named.add(name);
  // Two intervals without an answered read are more than one lost request: this member was cut off (rule 4).
  const wasCutOff = state.contactAt !== undefined && now - state.contactAt > 2 * state.rules.renewInterval;
  const { observations, rules } = state;
  return {
    ...state,
    isFirst: state.contactAt === undefined ? !snapshot.plan && snapshot.members.size === 0 : state.isFirst,
    observations: observe(observations, { snapshot, named, now, wasCutOff, rules }),
    contactAt: sentAt,
    mustRead: false,
  };
}

function readPlan(state: Membership, { snapshot, standing, now }: Reading): Membership {
  const { newerFormat: _newer, rewritten: _rewritten, ...rest } = state;
  if (standing.type === 'newer') {
    return { ...closeAll(state, now), newerFormat: standing.format, view: { snapshot, receivedAt: now } };
  }
  if (standing.type !== 'current') return state.fence ? { ...state, view: { snapshot, receivedAt: now } } : state;
  const { plan } = standing;
  const epoch = plan.rewritten;
  const rewritten =
    epoch === undefined ? undefined : state.rewritten?.epoch === epoch ? state.rewritten : { epoch, since: now };
  const next: Membership = { ...rest, seen: { epoch: plan.epoch, id: plan.id }, ...(rewritten && { rewritten }) };
  // With a closed fence, the member renews before it acts on what it reads (rule 5).
  if (!next.fence) return next;
  const viewed: Membership = { ...next, view: { snapshot, receivedAt: now } };
  return viewed.plan && isSamePlan(viewed.plan, plan) ? viewed : adopt(viewed, plan, now);
}

/** A leaving member lets go without a plan if no other member takes its slots: it is alone, or `warmTimeout` has passed. */
function leave(state: Membership, snapshot: HubSnapshot, now: number): Membership {
  const { leaving, rules, name } = state;
  if (!leaving || leaving.isDraining) return state;
  const isAlone = ![...snapshot.members.values()].some((other) => {
    if (other.name === name || other.type === 'out') return false;
    return other.type === 'unreadable' || other.record.state === 'active';
  });
  const isOverdue = now - leaving.since >= rules.warmTimeout + rules.renewInterval;
  return isAlone || isOverdue ? drainAll({ ...state, leaving: { ...leaving, isDraining: true } }, now) : state;
}
