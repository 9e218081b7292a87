import { acknowledge } from './acknowledge.ts';
import { acquire } from './acquire.ts';
import { end } from './end.ts';
import type { HubAnswer, HubRequest } from './hub-request.ts';
import type { MembershipAction, MembershipEvent, SlotProgress, Transition } from './membership-event.ts';
import type { Membership, SlotHold } from './membership.ts';
import { fenceEnd, isFenceOpen, isOurs, releaseDeadline, slotPhase } from './membership.ts';
import { readSnapshot } from './read-snapshot.ts';

/**
 * Applies an event. Pure: everything that varies comes with the event. Deadlines that passed before the event are applied
 * first, so that an event that arrives late, for example after the process was stopped, finds a closed fence closed.
 */
export function transition(state: Membership, event: MembershipEvent): Transition<Membership> {
  if (state.end) return { state, actions: [] };
  const { now } = event;
  const expired = expire(state, now);
  const next = giveUp(acquire(apply(expired, event), now), now);
  return { state: next, actions: actionsOf(state, next, event) };
}

/** Applies the deadlines that have passed: of the fence (rule 5), of drains, and of unanswered writes. */
function expire(state: Membership, now: number): Membership {
  const { writeDeadline } = state.rules;
  const closedAt = fenceEnd(state);
  const isOpen = isFenceOpen(state, now);
  const holds = new Map<number, SlotHold>();
  let isChanged = false;
  for (const [slot, hold] of state.holds) {
    const closesAt = hold.type === 'active' ? closedAt : Math.min(hold.until, closedAt);
    const next: SlotHold =
      hold.type !== 'closing' && now >= closesAt ? { type: 'closing', until: closesAt + writeDeadline } : hold;
    const isGone = next.type === 'closing' && now >= next.until;
    if (!isGone) holds.set(slot, next);
    isChanged ||= isGone || next !== hold;
  }
  const next = isChanged ? { ...state, holds } : state;
  if (isOpen || (!next.fence && !next.view)) return next;
  // A view from before the fence closed must not be acted on after it opens again.
  const { fence: _fence, view: _view, proposal: _proposal, ...closed } = next;
  return closed;
}

/** Ends a leaving member that cannot release its Lease: others have evicted it by now, or do as soon as they can. */
function giveUp(state: Membership, now: number): Membership {
  const { leaving, holds } = state;
  if (state.end || !leaving || holds.size > 0 || isFenceOpen(state, now) || now < releaseDeadline(state)) return state;
  return end(state, { reason: 'released', detail: 'left the group, but could not release its Lease' });
}

function apply(state: Membership, event: MembershipEvent): Membership {
  switch (event.type) {
    case 'time':
      return state;
    case 'answered':
      return answered(state, event.answer, event.now);
    case 'hint':
      return { ...state, isHinted: true };
    case 'progress':
      return progress(state, event.slots, event.now);
    case 'loads':
      return { ...state, loads: event.loads, measured: event.measured ?? event.loads, mayBalance: event.mayBalance };
    case 'rules':
      return { ...state, rules: event.rules };
    case 'leave':
      return leave(state, event.now);
  }
}

function leave(state: Membership, now: number): Membership {
  if (state.leaving) return state;
  if (state.lease.sent === 0) return end(state, { reason: 'released', detail: 'left before it joined' });
  return { ...state, leaving: { since: now, isDraining: false } };
}

function progress(state: Membership, slots: ReadonlyMap<number, SlotProgress>, now: number): Membership {
  const [warm, holds] = [new Set(state.warm), new Map(state.holds)];
  const closing: SlotHold = { type: 'closing', until: now + state.rules.writeDeadline };
  let isHoldChanged = false;
  for (const [slot, progress] of slots) {
    const hold = holds.get(slot)?.type;
    if (progress === 'warm' && isOurs(state, slot)) warm.add(slot);
    else if (progress === 'cold') warm.delete(slot);
    else if (progress === 'idle' && hold === 'draining') holds.set(slot, closing);
    else if (progress === 'settled' && hold === 'closing') holds.delete(slot);
    isHoldChanged ||= holds.get(slot)?.type !== hold;
  }
  return { ...state, warm, ...(isHoldChanged && { holds }) };
}

function answered(state: Membership, answer: HubAnswer, now: number): Membership {
  const { inFlight, ...idle } = state;
  if (!inFlight) return state;
  if (answer.type === 'snapshot') return readSnapshot(idle, answer.snapshot, { sentAt: inFlight.sentAt, now });
  // A lost answer counts as not renewed and as acknowledged (rule 6). The next read shows what happened.
  if (answer.type === 'failed') {
    const { retryInterval, forgetAfter } = state.rules;
    // No member waits for a deletion, and a refused one must not delay the renewals each time.
    const forgetAt = inFlight.request.type === 'forget' ? now + forgetAfter : state.forgetAt;
    const wasRenewal = inFlight.request.type === 'renew';
    // One that took long needs no further delay: if all answers are lost, the Lease still has to be renewed in time.
    const retryAt = Math.max(now, inFlight.sentAt + retryInterval);
    return { ...idle, mustRead: true, retryAt, forgetAt, owesTurn: wasRenewal };
  }
  if (answer.type === 'conflict') return { ...idle, mustRead: true, retryAt: now + state.rules.changeSpacing };
  return written(
    { ...idle, mustRead: true },
    { request: inFlight.request, resourceVersion: answer.resourceVersion, now },
  );
}

interface Written {
  readonly request: HubRequest;
  readonly resourceVersion: string;
  readonly now: number;
}

function written(state: Membership, { request, resourceVersion, now }: Written): Membership {
  if (request.type === 'release') return end(state, { reason: 'released', detail: 'left the group' });
  if (request.type !== 'renew') return state;
  return acknowledge(state, { record: request.record, resourceVersion, now });
}

function actionsOf(before: Membership, after: Membership, event: MembershipEvent): MembershipAction[] {
  const actions: MembershipAction[] = [];
  if (before.inFlight && event.type === 'answered' && event.answer.type === 'written') {
    const { request } = before.inFlight;
    if (request.type === 'evict') actions.push({ type: 'evicted', name: request.name });
    if (request.type === 'write plan') actions.push({ type: 'plan written', version: request.plan });
  }
  // A member that left has closed its fence itself: that is not worth a warning.
  const hasLeft = after.end?.reason === 'released';
  if (!before.fence !== !after.fence && !hasLeft) {
    actions.push({ type: after.fence ? 'fence opened' : 'fence closed' });
  }
  if (after.newerFormat !== undefined && before.newerFormat !== after.newerFormat) {
    actions.push({ type: 'newer format', format: after.newerFormat });
  }
  if (after.plan && after.plan !== before.plan) actions.push({ type: 'plan adopted', version: after.plan });
  if (before.holds !== after.holds || before.plan !== after.plan || after.end) {
    for (let slot = 0; slot < before.slotCount; slot++) {
      const from = slotPhase(before, slot);
      const to = slotPhase(after, slot);
      if (from !== to) actions.push({ type: 'slot', slot, from, to });
    }
  }
  if (after.end) actions.push({ type: 'ended', reason: after.end.reason, detail: after.end.detail });
  return actions;
}
