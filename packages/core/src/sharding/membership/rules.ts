/** Durations that the members of a group follow. All are milliseconds of the member's own monotonic clock. */
export interface MembershipRules {
  /** See {@link margin}. Default: 12,000. */
  readonly leaseDuration: number;
  /**
   * The own fence closes `leaseDuration - margin` after the last acknowledged renewal was sent. Another member is evicted
   * when its Lease has not changed for `leaseDuration + margin`. Default: 3,000.
   */
  readonly margin: number;
  /** Time between two renewals. Default: 3,000. */
  readonly renewInterval: number;
  /** Time until the next request after one that failed. Default: 1,000. */
  readonly retryInterval: number;
  /** A request without an answer counts as failed after this time. Default: 2,000. */
  readonly requestDeadline: number;
  /** Longest time that running reconciles of a lost slot may go on with an open fence. Default: 10,000. */
  readonly drainTimeout: number;
  /** Longest time that the preparation of a slot may take. Default: 60,000. */
  readonly warmTimeout: number;
  /** Deadline of a fenced write. Unanswered writes are given up after this time. Default: 5,000. */
  readonly writeDeadline: number;
  /** A new member gets slots this long after it was first seen, unless no other member is there. Default: 6,000. */
  readonly newcomerDelay: number;
  /** The n-th active member by name waits n times this long before it writes a plan. Default: 700. */
  readonly rankStep: number;
  /** Shortest time between two reads, or between two renewals, that changes cause. Default: 200. */
  readonly changeSpacing: number;
  /** Loads are written at most once in this time. Default: 30,000. */
  readonly loadInterval: number;
  /** The Lease of a member that is out and in no plan is deleted after this time. Default: 60,000. */
  readonly forgetAfter: number;
}

/** Maximum of each duration that an option sets, in milliseconds: a day. */
export const MAX_DURATION = 86_400_000;

export const DEFAULT_RULES: MembershipRules = {
  leaseDuration: 12_000,
  margin: 3_000,
  renewInterval: 3_000,
  retryInterval: 1_000,
  requestDeadline: 2_000,
  drainTimeout: 10_000,
  warmTimeout: 60_000,
  writeDeadline: 5_000,
  newcomerDelay: 6_000,
  rankStep: 700,
  changeSpacing: 200,
  loadInterval: 30_000,
  forgetAfter: 60_000,
};

/** A lease's durations, as {@link MembershipRules} and each member's Lease state them. */
type LeaseTimes = Pick<MembershipRules, 'leaseDuration' | 'margin'>;

/** Time that a fence stays open after a renewal was sent. */
export function fenceWindow({ leaseDuration, margin }: LeaseTimes): number {
  return leaseDuration - margin;
}

/** Time without a change after which a Lease is certain to have a closed fence. */
export function evictionTime({ leaseDuration, margin }: LeaseTimes): number {
  return leaseDuration + margin;
}
