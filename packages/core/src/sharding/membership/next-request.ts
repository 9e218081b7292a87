import type { MemberName } from '../plan/plan.ts';
import { rewriteEnd } from './acquire.ts';
import type { HubRequest } from './hub-request.ts';
import type { MemberRecord } from './member-record.ts';
import type { Membership } from './membership.ts';
import { fenceEnd, isFenceOpen, releaseDeadline } from './membership.ts';
import type { RecordContent } from './own-record.ts';
import { recordContent, urgency } from './own-record.ts';
import { namedMembers, planStanding } from './plan-standing.ts';
import { propose, proposalTime } from './proposal.ts';
import { fenceWindow } from './rules.ts';

export interface NextRequest {
  /** The state after the request was sent. */
  readonly state: Membership;
  /** The request to send now. Absent: none. */
  readonly request?: HubRequest;
  /** When to apply a `time` event and to ask again, unless an event comes first. `Infinity`: never. */
  readonly wakeAt: number;
}

export interface NextRequestOptions {
  readonly now: number;
  /** A random text, which becomes the id of the plan if one is written. */
  readonly planId: string;
}

/** Chooses the request to send now. A member has one in flight at most. */
export function nextRequest(state: Membership, { now, planId }: NextRequestOptions): NextRequest {
  if (state.end) return { state, wakeAt: state.end.rejoinAt ?? Infinity };
  if (state.inFlight) return { state, wakeAt: deadline(state) };
  if (now < state.retryAt) return { state, wakeAt: Math.min(deadline(state), state.retryAt) };
  if (state.mustRead) return send(state, { type: 'read' }, now);
  const content = recordContent(state, now);
  const renewAt = renewalTime(state, content);
  if (isReadyToRelease(state, now)) return release(state, content, now);
  const isRenewalDue = now >= renewAt;
  if (isRenewalDue && !mayPostponeRenewal(state, now)) return renew(state, content, now);
  const hintAt = state.isHinted ? state.readAt + state.rules.changeSpacing : Infinity;
  if (now >= hintAt) return send(state, { type: 'read' }, now);
  const proposed = propose(state, now);
  const change = changeOfOthers(proposed, { now, planId });
  if ('type' in change) return send({ ...proposed, owesTurn: false }, change, now);
  if (isRenewalDue) return renew(proposed, content, now);
  return { state: proposed, wakeAt: Math.min(deadline(proposed), renewAt, hintAt, change.wakeAt) };
}

function send(state: Membership, request: HubRequest, now: number): NextRequest {
  const next: Membership = { ...state, inFlight: { request, sentAt: now } };
  const wakeAt = deadline(next);
  if (request.type !== 'read') return { state: next, request, wakeAt };
  return { state: { ...next, readAt: now, isHinted: false }, request, wakeAt };
}

/** The next deadline that a `time` event has to apply. */
function deadline(state: Membership): number {
  let earliest = Infinity;
  if (state.fence) earliest = fenceEnd(state);
  else if (state.holds.size === 0) earliest = releaseDeadline(state);
  for (const hold of state.holds.values()) if (hold.type !== 'active') earliest = Math.min(earliest, hold.until);
  return earliest;
}

function renewalTime(state: Membership, content: RecordContent): number {
  const { lease, rules } = state;
  const regular = lease.sentAt + rules.renewInterval;
  if (!state.fence) return -Infinity;
  switch (urgency(content, lease.record)) {
    case 'at once':
      return lease.sentAt + rules.changeSpacing;
    case 'soon':
      return Math.min(regular, lease.sentAt + rules.retryInterval);
    case 'none':
      return regular;
  }
}

/**
 * Whether another write may come before a renewal that is due: if all answers of writes are lost, a renewal is due after
 * each read, and nothing else would ever be written. The fence has to last for both writes.
 */
function mayPostponeRenewal({ owesTurn, fence, rules }: Membership, now: number): boolean {
  return owesTurn && fence !== undefined && now + 2 * rules.requestDeadline + rules.retryInterval < fenceEnd({ fence });
}

function renew(state: Membership, content: RecordContent, now: number): NextRequest {
  const { fence, rules } = state;
  const { record, state: next } = newRecord(state, content, now);
  const window = fenceWindow(rules);
  const pending = next.lease.pending.filter((earlier) => now < earlier.sentAt + earlier.window);
  const sent: Membership = {
    ...next,
    owesTurn: false,
    lease: { ...next.lease, pending: [...pending, { sequence: record.sequence, sentAt: now, window }] },
    // Others may go by this record even if its answer is lost.
    ...(fence && { fence: { ...fence, window: Math.min(fence.window, window) } }),
  };
  return send(sent, { type: 'renew', record, resourceVersion: state.lease.resourceVersion }, now);
}

function newRecord(
  state: Membership,
  content: RecordContent,
  now: number,
): { record: MemberRecord; state: Membership } {
  const { lease, publishedLoads, loads, rules } = state;
  const isDue = loads.size > 0 && now - (publishedLoads?.at ?? -Infinity) >= rules.loadInterval;
  const published = isDue ? { loads: ownLoads(state), at: now } : publishedLoads;
  const sequence = lease.sent + 1;
  return {
    record: { ...content, sequence, ...(published && { loads: published.loads }) },
    state: {
      ...state,
      lease: { ...lease, sent: sequence, sentAt: now },
      ...(published && { publishedLoads: published }),
    },
  };
}

function ownLoads({ measured, holds }: Membership): ReadonlyMap<number, number> {
  return new Map([...measured].filter(([slot]) => holds.has(slot)));
}

/** A leaving member releases its Lease when it holds nothing, and nothing will be given to it. */
function isReadyToRelease(state: Membership, now: number): boolean {
  const { leaving, holds, plan, name } = state;
  if (!leaving || holds.size > 0) return false;
  return leaving.isDraining || !isFenceOpen(state, now) || !plan?.slots.some(({ owner }) => owner === name);
}

function release(state: Membership, content: RecordContent, now: number): NextRequest {
  const { resourceVersion } = state.lease;
  // Nothing was written yet: the read that shows it ends the incarnation.
  if (resourceVersion === undefined) return send(state, { type: 'read' }, now);
  const { record, state: next } = newRecord(state, content, now);
  return send(next, { type: 'release', record, resourceVersion }, now);
}

/** Returns the request that other members or the plan need now, or when to ask again. */
function changeOfOthers(
  state: Membership,
  { now, planId }: NextRequestOptions,
): HubRequest | { readonly wakeAt: number } {
  if (!state.view || !isFenceOpen(state, now)) return { wakeAt: Infinity };
  const eviction = nextEviction(state);
  if (eviction && now >= eviction.at) return eviction.request;
  const planAt = proposalTime(state);
  const { plan, resourceVersion } = state.proposal ?? {};
  if (plan && now >= planAt) return { type: 'write plan', plan: { ...plan, id: planId }, resourceVersion };
  const forgetting = nextForgetting(state);
  if (forgetting && now >= forgetting.at) return forgetting.request;
  const rewriteAt = state.plan ? rewriteEnd(state, state.plan) : Infinity;
  const times = [eviction?.at, planAt, forgetting?.at, rewriteAt].filter((at) => at !== undefined && at > now);
  return { wakeAt: Math.min(...times.map((at) => at ?? Infinity)) };
}

interface Planned {
  readonly request: HubRequest;
  readonly at: number;
}

/** The eviction that is due first (rule 4). */
function nextEviction({ name: own, view, observations }: Membership): Planned | undefined {
  let first: Planned | undefined;
  for (const [name, lease] of view?.snapshot.members ?? []) {
    const observation = observations.get(name);
    if (name === own || lease.type === 'out' || !observation) continue;
    const at = observation.since + observation.patience;
    const { resourceVersion } = lease;
    if (!first || at < first.at) first = { request: { type: 'evict', name, resourceVersion }, at };
  }
  return first;
}

/**
 * The deletion of a Lease that is due first. The member is out and in no plan, and no later plan can name it: it was out
 * before the deletion, and plans only add members that are not. So its absence is never mistaken for that of a
 * member that may hold a slot.
 */
function nextForgetting(state: Membership): Planned | undefined {
  const { view, observations, rules, forgetAt } = state;
  if (!view) return undefined;
  const standing = planStanding(view.snapshot);
  if (standing.type !== 'current' || standing.plan.epoch !== state.plan?.epoch) return undefined;
  let named: ReadonlySet<MemberName> | undefined;
  let first: Planned | undefined;
  for (const [name, lease] of view.snapshot.members) {
    const outSince = observations.get(name)?.outSince;
    if (lease.type !== 'out' || outSince === undefined) continue;
    named ??= namedMembers(standing.plan);
    const at = Math.max(outSince + rules.forgetAfter, forgetAt);
    if (named.has(name) || (first && first.at <= at)) continue;
    first = { request: { type: 'forget', name, resourceVersion: lease.resourceVersion }, at };
  }
  return first;
}
