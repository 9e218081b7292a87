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
  /** The work of slots has come to these states. One event for many slots, because each costs a pass over all slots. */
  | { readonly type: 'progress'; readonly slots: ReadonlyMap<number, SlotProgress> }
  /**
   * `loads` has the number of keys of each slot, and `measured` the loads of slots in this member's measure; default: the
   * number of keys. With `mayBalance: false`, loads are incomplete, and slots move only away from members that are out or
   * leaving.
   */
  | {
      readonly type: 'loads';
      readonly loads: ReadonlyMap<number, number>;
      readonly measured?: ReadonlyMap<number, number> | undefined;
      readonly mayBalance: boolean;
    }
  /** The durations change, for example because the group has grown. */
  | { readonly type: 'rules'; readonly rules: MembershipRules }
  /** The process ends: the member gives all slots away, and releases its Lease. */
  | { readonly type: 'leave' }
);

/**
 * State of the work of a slot:
 *
 * - `warm`: all its clusters are synced or unreachable. Ignored unless the plan names this member as its owner or next owner.
 * - `cold`: a cluster is not synced.
 * - `idle`: no reconcile runs. Ignored unless the slot is `draining`.
 * - `settled`: no write is unanswered. Ignored unless the slot is `closing`.
 */
export type SlotProgress = 'warm' | 'cold' | 'idle' | 'settled';

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
