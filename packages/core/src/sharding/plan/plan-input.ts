import type { MemberName, Plan } from './plan.ts';
import type { Acknowledgement } from './wait.ts';

/** A member that is not out, as far as the planner needs it. */
export interface PlanMember extends Acknowledgement {
  readonly name: MemberName;
  /** Share of the load relative to other members. With 0 it takes slots only if no other member can. */
  readonly weight: number;
  /** Whether the member gives all its slots away. */
  readonly isLeaving: boolean;
  /** Whether the member was first seen a moment ago. It takes slots only if no other member can. */
  readonly isNew: boolean;
  /** Slots that the member has prepared. */
  readonly warm: ReadonlySet<number>;
}

/** Input of the planner. The next plan depends on nothing else. */
export interface PlanInput {
  /** The plan to replace. Absent if there is none or it cannot be read. */
  readonly previous?: Plan | undefined;
  /** Number of slots of the group. */
  readonly slots: number;
  /** Epoch of the next plan: higher than that of `previous` and of all acknowledgements. */
  readonly epoch: number;
  /** Id of the next plan. */
  readonly id: string;
  /** The members that are not out and whose Leases can be read. */
  readonly members: readonly PlanMember[];
  /**
   * Other members that are not out: their Leases cannot be read. They keep their slots, and take no others. The members
   * of `previous` that are neither here nor in `members` nor in `out` count as such.
   */
  readonly unreadable?: readonly MemberName[];
  /** Members that are out. Their slots are given away at once. */
  readonly out: ReadonlySet<MemberName>;
  /**
   * Load of each slot, in any unit. Values that are not positive numbers count as 0. If all are 0, each slot counts as 1.
   * Default: 1 for each slot.
   */
  readonly loads?: ArrayLike<number>;
  /** Number of clusters in each slot, for {@link PlanLimits.preparedClusters}. Default: 1 for each slot. */
  readonly clusters?: ArrayLike<number>;
  /** Whether slots may move for balance. If not, slots move only away from members that are out or leaving. */
  readonly mayBalance: boolean;
  /**
   * Slots that count as warm although they were not reported, because they were prepared for `warmTimeout`. Those of a
   * leaving member are given away even if no member has prepared them. Default: none.
   */
  readonly overdue?: ReadonlySet<number>;
  readonly limits?: Partial<PlanLimits>;
}

/** Limits of what a plan moves for balance. Each but the last is a fraction of a member's fair share. */
export interface PlanLimits {
  /** A member is relieved or filled up once it is this far from its fair share. Default: 0.15. */
  readonly tolerance: number;
  /** It is then brought this close to its fair share. Default: 0.05. */
  readonly target: number;
  /**
   * Load that one member prepares at once for balance. It may always prepare one slot. Default: 0.1.
   *
   * The slots of leaving members do not count: their next owner ends up with all of them, so a limit saves no memory, and
   * what is not prepared in time is handed over cold.
   */
  readonly prepared: number;
  /**
   * Number of clusters that one member may always prepare at once for balance: in a small fleet, a tenth of the share is
   * one cluster, and each plan would move one. Default: 16.
   */
  readonly preparedClusters: number;
}

export const DEFAULT_LIMITS: PlanLimits = { tolerance: 0.15, target: 0.05, prepared: 0.1, preparedClusters: 16 };
