import type { MemberLease } from '../membership/member-record.ts';
import { evictionTime } from '../membership/rules.ts';
import type { MemberName } from '../plan/plan.ts';

/**
 * Whether the members of a plan are still there:
 *
 * - `used`: at least one may be.
 * - `released`: all are out.
 * - `abandoned`: those that are not out did not renew their Leases for so long that their fences are closed.
 */
export type PlanUse = 'used' | 'released' | 'abandoned';

interface Sight {
  readonly plan: string;
  readonly leases: string;
  readonly since: number;
  readonly seenAt: number;
}

/** Follows whether a plan that this replica refuses is still in use, so that it does not wait for crashed replicas for ever. */
export class PlanUsage {
  /** Lower limit of the time without a renewal, in milliseconds. */
  readonly #patience: number;
  #sight: Sight | undefined;
  #abandoned: string | undefined;

  constructor(patience: number) {
    this.#patience = patience;
  }

  /**
   * @param plan version of the plan's Lease.
   * @param named the members that the plan names.
   */
  useOf(
    plan: string,
    {
      named,
      members,
      now,
    }: {
      readonly named: readonly MemberName[];
      readonly members: ReadonlyMap<MemberName, MemberLease>;
      readonly now: number;
    },
  ): PlanUse {
    const present = named.map((name) => members.get(name)).filter((lease) => lease?.type !== 'out');
    if (present.length === 0) return 'released';
    // Members that replace the crashed ones renew their Leases: they must not make the plan used again.
    if (this.#abandoned === plan) return 'abandoned';
    const leases = present.map((lease) => `${lease?.name}@${lease?.resourceVersion}`).join();
    const patience = Math.max(
      this.#patience,
      ...present.map((lease) => (lease?.type === 'member' ? evictionTime(lease.record) : 0)),
    );
    const { plan: before, leases: seen, since = now, seenAt = now } = this.#sight ?? {};
    // After an outage of the hub, all members were silent: the time starts again.
    const isUnchanged = before === plan && seen === leases && now - seenAt < patience / 2;
    this.#sight = { plan, leases, since: isUnchanged ? since : now, seenAt: now };
    if (now - this.#sight.since < patience) return 'used';
    this.#abandoned = plan;
    return 'abandoned';
  }
}
