import type { MemberName, Plan, PlanVersion } from '../plan/plan.ts';
import type { HubRequest, HubSnapshot } from './hub-request.ts';
import type { MemberRecord } from './member-record.ts';
import type { Observations } from './observations.ts';
import type { Proposal } from './proposal.ts';
import type { MembershipRules } from './rules.ts';
import { evictionTime } from './rules.ts';

/**
 * A slot that the member acts on, or has lost and not yet let go of.
 *
 * - `active` becomes `draining` when a plan takes the slot away, and `closing` when the fence closes.
 * - `draining` keeps the fence open for running reconciles, and becomes `closing` when they have ended, at `until`, or
 *   when the fence closes.
 * - `closing` writes nothing any more, and ends when no write is unanswered, or at `until`.
 */
export type SlotHold =
  | { readonly type: 'active' }
  | { readonly type: 'draining'; readonly until: number }
  | { readonly type: 'closing'; readonly until: number };

/** A renewal that was sent, and that the hub is not known to have. */
export interface SentRenewal {
  readonly sequence: number;
  readonly sentAt: number;
  /** The `leaseDuration - margin` that it states. */
  readonly window: number;
}

/** The own Lease, as far as the member knows it. */
export interface OwnLease {
  /** The version to write on. Absent before the Lease was created. */
  readonly resourceVersion?: string;
  /** Sequence of the last record that was sent. */
  readonly sent: number;
  /** Sequence of the last record that the hub is known to have had. A lower one in the hub is a rollback. */
  readonly known: number;
  /** When the last record was sent. */
  readonly sentAt: number;
  /** Renewals after `known`, oldest first, without those that are too old to open the fence. */
  readonly pending: readonly SentRenewal[];
  /** The last record whose write was acknowledged. */
  readonly record?: MemberRecord;
}

/** The fence is open until `sentAt + window`. */
export interface Fence {
  /** When the last acknowledged renewal was sent. */
  readonly sentAt: number;
  /** The smallest `leaseDuration - margin` of the last acknowledged renewal and of any sent since. */
  readonly window: number;
}

/** A snapshot that was read while the fence was open without interruption. */
export interface View {
  readonly snapshot: HubSnapshot;
  readonly receivedAt: number;
}

/**
 * Why an incarnation ended:
 *
 * - `released`: it left, and its Lease is released unless the hub did not answer for `leaseDuration + margin`.
 * - `evicted`: another member set it out after its fence had closed.
 * - `inconsistent`: the plan or its own Lease went back, see rule 8.
 */
export type EndReason = 'released' | 'evicted' | 'inconsistent';

/** One incarnation of a member. Immutable: {@link transition} and {@link nextRequest} return the next state. */
export interface Membership {
  readonly rules: MembershipRules;
  readonly name: MemberName;
  readonly weight: number;
  /** Formats of plans that this process can read. */
  readonly formats: readonly number[];
  /** Number of slots of the group. */
  readonly slotCount: number;
  /** The incarnation ended. It writes nothing any more, and sends no requests. */
  readonly end?: {
    readonly reason: EndReason;
    readonly detail: string;
    /** When the process may join as a new incarnation. Absent after `released`. */
    readonly rejoinAt?: number;
  };
  /** The member gives its slots away. With `isDraining`, it lets go of all slots without waiting for a plan. */
  readonly leaving?: { readonly since: number; readonly isDraining: boolean };
  /** A plan that this process cannot read keeps it from acting. */
  readonly newerFormat?: number;
  readonly lease: OwnLease;
  /** Absent before the first acknowledged renewal, and after the fence closed. */
  readonly fence?: Fence;
  /** Slots that the member may write to, and those it has not let go of. */
  readonly holds: ReadonlyMap<number, SlotHold>;
  /** The plan that the member acts on, or will act on once the hub has its acknowledgement. */
  readonly plan?: Plan;
  /** The latest acknowledgement that the hub is known to have. */
  readonly acked: PlanVersion;
  /** The latest plan that was read. */
  readonly seen: PlanVersion;
  /** When a plan with this `rewritten` epoch was first read. */
  readonly rewritten?: { readonly epoch: number; readonly since: number };
  /** Whether the group had neither a plan nor a member when this member first read it. */
  readonly isFirst: boolean;
  /** Absent while the member must not act on what it read: before the first renewal, and after the fence closed. */
  readonly view?: View;
  readonly observations: Observations;
  /** When the last answered read was sent. */
  readonly contactAt?: number;
  /** When the last read was sent. */
  readonly readAt: number;
  readonly inFlight?: { readonly request: HubRequest; readonly sentAt: number };
  /** A write changed the hub, or may have changed it: nothing is written before the next read. */
  readonly mustRead: boolean;
  /** The watch noticed a change since the last read was sent. */
  readonly isHinted: boolean;
  /** Earliest time of the next request, after one failed. */
  readonly retryAt: number;
  /** The answer of the last renewal was lost: what other members need may be written before the next one. */
  readonly owesTurn: boolean;
  /** Earliest time of the next deletion of another member's Lease. A permission to delete may be missing. */
  readonly forgetAt: number;
  /** Slots that the local work has prepared. */
  readonly warm: ReadonlySet<number>;
  /** Slots that the plan has this member prepare, and since when. */
  readonly preparing: ReadonlyMap<number, number>;
  /** Load of each slot as this process knows it. Slots that are not in it count alike. */
  readonly loads: ReadonlyMap<number, number>;
  /** The loads that this member reports of the slots that it holds. */
  readonly measured: ReadonlyMap<number, number>;
  /** Whether `loads` is complete, so that slots may move for balance. */
  readonly mayBalance: boolean;
  /** The loads in the own Lease, and when they were put there. */
  readonly publishedLoads?: { readonly loads: ReadonlyMap<number, number>; readonly at: number };
  readonly proposal?: Proposal;
}

export interface JoinOptions {
  /** A name that was never used before. */
  readonly name: MemberName;
  readonly rules: MembershipRules;
  readonly slotCount: number;
  /** Share of the load relative to other members. */
  readonly weight: number;
  /** Formats of plans that this process can read. */
  readonly formats: readonly number[];
  /** Default: none, which counts all slots alike. */
  readonly loads?: ReadonlyMap<number, number>;
  /** Default: `false`. */
  readonly mayBalance?: boolean;
}

const NEVER = -Infinity;
const NO_PLAN: PlanVersion = { epoch: 0, id: '' };

/** Returns the state of a new incarnation, which has not sent anything yet. */
export function join({ loads = new Map(), mayBalance = false, ...options }: JoinOptions): Membership {
  return {
    ...options,
    loads,
    measured: loads,
    mayBalance,
    lease: { sent: 0, known: 0, sentAt: NEVER, pending: [] },
    holds: new Map(),
    acked: NO_PLAN,
    seen: NO_PLAN,
    isFirst: false,
    observations: new Map(),
    readAt: NEVER,
    mustRead: true,
    isHinted: false,
    retryAt: NEVER,
    owesTurn: false,
    forgetAt: NEVER,
    warm: new Set(),
    preparing: new Map(),
  };
}

/** Whether writes of active slots are allowed at `now`. */
export function isFenceOpen(state: Membership, now: number): boolean {
  return !state.end && now < fenceEnd(state);
}

/** When the fence closes unless it is renewed. `-Infinity` if it was never open. */
export function fenceEnd({ fence }: Pick<Membership, 'fence'>): number {
  return fence ? fence.sentAt + fence.window : NEVER;
}

/** When a leaving member with a closed fence stops trying to release its Lease. `Infinity` if it does not leave. */
export function releaseDeadline({ leaving, rules }: Pick<Membership, 'leaving' | 'rules'>): number {
  return leaving ? leaving.since + evictionTime(rules) : Infinity;
}

/**
 * Whether a write for a key of `slot` may be sent at `now`. It is correct at any time, even if the event loop was blocked
 * and no event has reached the state since.
 */
export function mayWrite(state: Membership, slot: number, now: number): boolean {
  const hold = state.holds.get(slot);
  if (!hold || !isFenceOpen(state, now)) return false;
  return hold.type === 'active' || (hold.type === 'draining' && now < hold.until);
}

/**
 * The phase of a slot at a member:
 *
 * - `elsewhere`: nothing.
 * - `warming`: it connects and syncs, and neither reconciles nor writes.
 * - `active`: it reconciles.
 * - `draining`: it starts nothing new, and running reconciles may still write.
 * - `closing`: nothing may be written any more; writes that were sent may be unanswered.
 */
export type SlotPhase = 'elsewhere' | 'warming' | 'active' | 'draining' | 'closing';

export function slotPhase(state: Membership, slot: number): SlotPhase {
  if (state.end) return 'elsewhere';
  const hold = state.holds.get(slot);
  if (hold) return hold.type;
  return isOurs(state, slot) && !state.leaving?.isDraining ? 'warming' : 'elsewhere';
}

/** Returns {@link slotPhase} as `ownership.stateOf` reports it: with `closing` as `draining`. */
export function slotState(state: Membership, slot: number): Exclude<SlotPhase, 'closing'> {
  const phase = slotPhase(state, slot);
  return phase === 'closing' ? 'draining' : phase;
}

/** The member that the plan names as the owner of a slot, even if it does not act on it yet. */
export function ownerOf({ plan }: Pick<Membership, 'plan'>, slot: number): MemberName | undefined {
  return plan?.slots[slot]?.owner;
}

/** Whether the plan names this member as the present or the next owner. */
export function isOurs({ plan, name }: Pick<Membership, 'plan' | 'name'>, slot: number): boolean {
  const assignment = plan?.slots[slot];
  return assignment?.owner === name || assignment?.next === name;
}
