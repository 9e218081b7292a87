import type { MemberName, Plan, PlanVersion } from '../plan/plan.ts';

/** The content of a member's Lease. Each write contains all of it. */
export interface MemberRecord {
  readonly name: MemberName;
  /** The plan that the member acts on. `{ epoch: 0, id: '' }` if none. */
  readonly acked: PlanVersion;
  /**
   * Slots that the member lost, and that it may still write to. This includes slots that a later plan gave back to the
   * member before it had let go of them.
   */
  readonly held: ReadonlySet<number>;
  /** Slots that the member has prepared. */
  readonly warm: ReadonlySet<number>;
  /** `leaving` members give all their slots away. */
  readonly state: 'active' | 'leaving';
  /** Share of the load relative to other members. 0 takes none while others are there. */
  readonly weight: number;
  /** Formats of plans that the member can read. */
  readonly formats: readonly number[];
  /** Milliseconds. See {@link margin}. */
  readonly leaseDuration: number;
  /** The fence of the member closes `leaseDuration - margin` after its last acknowledged renewal was sent. Milliseconds. */
  readonly margin: number;
  /** Number of this write, starting at 1. A lower one than the member wrote shows that its Lease was rolled back. */
  readonly sequence: number;
  /** Load of each slot that the member acts on, in any unit. Absent: unknown. */
  readonly loads?: ReadonlyMap<number, number>;
}

/** The Lease of a member, as it was read. */
export type MemberLease = {
  readonly name: MemberName;
  readonly resourceVersion: string;
} & (
  | { readonly type: 'member'; readonly record: MemberRecord }
  /** `holderIdentity` is empty: the member released its Lease, or was evicted. */
  | { readonly type: 'out' }
  /** The content cannot be read. The member counts as one that has not acknowledged any plan. */
  | { readonly type: 'unreadable'; readonly reason: string }
);

/** The Lease of the plan, as it was read. */
export type PlanLease = { readonly resourceVersion: string } &
  /** Valid for the number of slots of the group. `controllers` are those of the replica that wrote it, if it has any. */
  (
    | { readonly type: 'plan'; readonly plan: Plan; readonly controllers?: readonly string[] }
    | { readonly type: 'unreadable'; readonly reason: string }
    /** Written by a newer version of this library. Never overwritten. */
    | { readonly type: 'newer'; readonly format: number }
  );
