import type { Plan, SlotAssignment } from '../../plan/plan.ts';
import type { HubAnswer, HubRequest } from '../hub-request.ts';
import type { Membership } from '../membership.ts';
import type { MembershipRules } from '../rules.ts';
import type { FaultKind } from './faults.fixture.ts';

/** Breaks a safety rule by changing what a member sees or sends. The production code has no switch for it. */
export interface Sabotage {
  rules?(rules: MembershipRules): MembershipRules;
  /** Changes the state before an answer is applied. */
  state?(state: Membership, answer: HubAnswer, now: number): Membership;
  /** Changes the state before the next request is chosen. */
  idle?(state: Membership): Membership;
  /** Changes an answer before it is applied. */
  answer?(answer: HubAnswer, state: Membership, now: number): HubAnswer;
  request?(request: HubRequest, state: Membership, now: number): HubRequest;
  /** Time after which a request is applied, in addition to the usual one. Milliseconds. */
  delay?(request: HubRequest): number;
  /** The faults that show the violation best. Default: `mixed`. */
  readonly kind?: FaultKind;
  /** Whether the hub ignores the precondition of a request. */
  isForced?(request: HubRequest): boolean;
}

/** Returns the answer with another plan. */
function withPlan(answer: HubAnswer, change: (plan: Plan) => Plan): HubAnswer {
  if (answer.type !== 'snapshot') return answer;
  const { snapshot } = answer;
  if (snapshot.plan?.type !== 'plan') return answer;
  return { ...answer, snapshot: { ...snapshot, plan: { ...snapshot.plan, plan: change(snapshot.plan.plan) } } };
}

function mapSlots(plan: Plan, change: (assignment: SlotAssignment, slot: number) => SlotAssignment): Plan {
  return { ...plan, slots: plan.slots.map(change) };
}

/**
 * A weaker model, in which the plan was sometimes read before the members. With consistent reads, a member that sees an
 * acknowledgement also sees its plan, and rule 2 is not needed.
 */
export const unequalReads: Sabotage = {
  answer: (answer, state) => {
    const earlier = state.view?.snapshot.plan;
    if (answer.type !== 'snapshot' || earlier?.type !== 'plan' || state.lease.sent % 2 === 0) return answer;
    const { epoch, id } = earlier.plan;
    const members = new Map(answer.snapshot.members);
    for (const [name, lease] of members) {
      if (lease.type !== 'member' || name === state.name || lease.record.acked.epoch < epoch) continue;
      members.set(name, { ...lease, record: { ...lease.record, acked: { epoch, id } } });
    }
    return { ...answer, snapshot: { plan: earlier, members } };
  },
};

/** One violation of each safety rule, or more. */
export const violations: Readonly<Record<string, Sabotage>> = {
  'rule 1: an owner does not wait for the members that may hold its slots': {
    answer: (answer) => withPlan(answer, (plan) => mapSlots(plan, (assignment) => ({ ...assignment, wait: [] }))),
  },
  'rule 1: a held slot counts as let go': {
    answer: (answer) => {
      if (answer.type !== 'snapshot') return answer;
      const members = new Map(answer.snapshot.members);
      for (const [name, lease] of members) {
        if (lease.type === 'member') members.set(name, { ...lease, record: { ...lease.record, held: new Set() } });
      }
      return { ...answer, snapshot: { ...answer.snapshot, members } };
    },
  },
  'rule 2: a slot that was lost and given back is kept': {
    answer: (answer, state) =>
      withPlan(unequalReads.answer?.(answer, state, 0) ?? answer, (plan) =>
        mapSlots(plan, (assignment, slot) => {
          const isKept = state.holds.get(slot)?.type === 'active' && assignment.owner === state.name;
          return isKept ? { ...assignment, since: Math.min(assignment.since, state.plan?.epoch ?? 0) } : assignment;
        }),
      ),
  },
  'rule 2: a member acknowledges a plan without naming what it still holds': {
    request: (request) =>
      request.type === 'renew' ? { ...request, record: { ...request.record, held: new Set() } } : request,
  },
  'rule 3: a plan drops members that are not out': {
    request: (request, state, now) => {
      if (request.type !== 'write plan') return request;
      const isGone = (name: string) => now - (state.observations.get(name)?.since ?? now) > 4_000;
      const slots = request.plan.slots.map((one) => ({ ...one, wait: one.wait.filter((name) => !isGone(name)) }));
      return { ...request, plan: { ...request.plan, slots } };
    },
  },
  'rule 4: a member is evicted before its fence is certain to be closed': {
    idle: (state) => ({
      ...state,
      observations: new Map([...state.observations].map(([name, one]) => [name, { ...one, patience: 7_000 }])),
    }),
  },
  'rule 4: an eviction does not compare the version': {
    isForced: ({ type }) => type === 'evict',
    delay: ({ type }) => (type === 'evict' ? 4_000 : 0),
  },
  'rule 5: a member renews without comparing the version': {
    isForced: ({ type }) => type === 'renew',
  },
  'rule 6: a plan is written without comparing the version': {
    isForced: ({ type }) => type === 'write plan',
  },
  'rule 6: a lost answer counts as renewed': {
    idle: (state) => (state.contactAt === undefined ? state : { ...state, mustRead: false }),
    answer: (answer, state) =>
      answer.type === 'failed' && state.inFlight?.request.type === 'renew'
        ? { type: 'written', resourceVersion: state.inFlight.request.resourceVersion ?? '0' }
        : answer,
  },
  'rule 6: a renewal that a read shows counts from later than it was sent': {
    state: (state, _answer, now) => ({
      ...state,
      lease: { ...state.lease, pending: state.lease.pending.map((renewal) => ({ ...renewal, sentAt: now + 10_000 })) },
    }),
  },
  'rule 7: members evict by the time that a renewal names, and a machine has another time': {
    idle: (state) => {
      const skewed = [...state.observations].map(([name, one]) => {
        return [name, name.startsWith('r0') ? { ...one, patience: 7_000 } : one] as const;
      });
      return { ...state, observations: new Map(skewed) };
    },
  },
  'rule 8: a member does not notice that the plan or its Lease went back': {
    state: (state) => ({ ...state, seen: { epoch: 0, id: '' }, lease: { ...state.lease, known: 0 } }),
    // Acknowledgements would show that the plan went back, too.
    answer: (answer) => {
      if (answer.type !== 'snapshot' || answer.snapshot.plan?.type !== 'plan') return answer;
      const { epoch, id } = answer.snapshot.plan.plan;
      const members = new Map(answer.snapshot.members);
      for (const [name, lease] of members) {
        if (lease.type !== 'member' || lease.record.acked.epoch < epoch) continue;
        members.set(name, { ...lease, record: { ...lease.record, acked: { epoch, id } } });
      }
      return { ...answer, snapshot: { ...answer.snapshot, members } };
    },
  },
  'rule 8: members act at once under a rewritten plan': {
    kind: 'lost Lease',
    answer: (answer) => withPlan(answer, ({ rewritten: _, ...plan }) => plan),
  },
};
