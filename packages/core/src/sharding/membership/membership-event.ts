import type { MemberName, PlanVersion } from '../plan/plan.ts';
import type { HubAnswer } from './hub-request.ts';
import type { EndReason, SlotPhase } from './membership.ts';
import type { MembershipRules } from './rules.ts';

/**
 * Something that a member learns. Each event carries the time at which it is applied, in milliseconds of the member's monotonic
 * clock. An event may arrive late, for example after the process was stopped.
 */
export type MembershipEvent = { readonly now: number } & (
  | { readonly type: 'time' }
  /** The request in flight ended. One that has no answer after `requestDeadline` has to be ended as `failed`. */
  | { readonly type: 'answered'; readonly answer: HubAnswer }
  /** The watch noticed a change of the plan or of a Lease. It may be missing or late. */
  | { readonly type: 'hint' }
  /** All clusters of the slot are synced or unreachable. Ignored unless the slot is `warming` or `active`. */
  | { readonly type: 'warm'; readonly slot: number }
  /** A cluster of the slot is not synced. */
  | { readonly type: 'cold'; readonly slot: number }
  /** No reconcile of the slot runs. Ignored unless the slot is `draining`. */
  | { readonly type: 'idle'; readonly slot: number }
  /** No write of the slot is unanswered. Ignored unless the slot is `closing`. */
  | { readonly type: 'settled'; readonly slot: number }
  /** With `mayBalance: false`, loads are incomplete, and slots move only away from members that are out or leaving. */
  | { readonly type: 'loads'; readonly loads: ReadonlyMap<number, number>; readonly mayBalance: boolean }
  /** The durations change, for example because the group has grown. */
  | { readonly type: 'rules'; readonly rules: MembershipRules }
  /** The process ends: the member gives all slots away, and releases its Lease. */
  | { readonly type: 'leave' }
);

/** An effect of a transition, for the local work, logs and metrics. */
export type MembershipAction =
  /** The phase of a slot changed. */
  | { readonly type: 'slot'; readonly slot: number; readonly from: SlotPhase; readonly to: SlotPhase }
  | { readonly type: 'fence opened' }
  | { readonly type: 'fence closed' }
  /** A new plan was adopted. */
  | { readonly type: 'plan adopted'; readonly version: PlanVersion }
  /** This member wrote a plan. */
  | { readonly type: 'plan written'; readonly version: PlanVersion }
  /** This member evicted another. */
  | { readonly type: 'evicted'; readonly name: MemberName }
  /** The plan has a newer format: the member acts on nothing until it can read a plan again. */
  | { readonly type: 'newer format'; readonly format: number }
  | { readonly type: 'ended'; readonly reason: EndReason; readonly detail: string };

export interface Transition<State> {
  readonly state: State;
  readonly actions: readonly MembershipAction[];
}
