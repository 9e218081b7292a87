import type { MemberName, Plan } from '../plan/plan.ts';
import type { MemberLease, MemberRecord, PlanLease } from './member-record.ts';

/** All Leases of a group, read by one consistent list that no cache serves. */
export interface HubSnapshot {
  /** Absent if there is no Lease of the plan. */
  readonly plan?: PlanLease;
  readonly members: ReadonlyMap<MemberName, MemberLease>;
}

/** A request of a member to the hub. A member has at most one in flight. */
export type HubRequest =
  | { readonly type: 'read' }
  /** Writes the own Lease. Without `resourceVersion`, creates it. */
  | { readonly type: 'renew'; readonly record: MemberRecord; readonly resourceVersion: string | undefined }
  /** Sets `holderIdentity` of the own Lease to `""`. */
  | { readonly type: 'release'; readonly record: MemberRecord; readonly resourceVersion: string }
  /** Sets `holderIdentity` of another member's Lease to `""`. */
  | { readonly type: 'evict'; readonly name: MemberName; readonly resourceVersion: string }
  /** Writes the plan. Without `resourceVersion`, creates it. */
  | { readonly type: 'write plan'; readonly plan: Plan; readonly resourceVersion: string | undefined }
  /** Deletes the Lease of a member that is out and in no plan. */
  | { readonly type: 'forget'; readonly name: MemberName; readonly resourceVersion: string };

/** How a {@link HubRequest} ended. */
export type HubAnswer =
  | { readonly type: 'snapshot'; readonly snapshot: HubSnapshot }
  | { readonly type: 'written'; readonly resourceVersion: string }
  /** A write was not applied: its precondition failed, or the object exists already or is gone. */
  | { readonly type: 'conflict' }
  /** There is no answer, or an error. A write may or may not have been applied. */
  | { readonly type: 'failed'; readonly error: Error };
