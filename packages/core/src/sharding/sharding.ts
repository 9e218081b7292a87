import type { Ownership } from '../fleet/multicluster/ownership.ts';
import type { SlotOwnership } from '../fleet/multicluster/slot-ownership.ts';

/** Divides the clusters of a fleet among the replicas of a group. This process is one of them. */
export interface Sharding {
  /** How this replica serves each cluster. */
  readonly ownership: Ownership;
  /** The Lease of the plan. */
  readonly plan: { readonly namespace: string; readonly name: string };
  /** How this replica serves each slot. */
  readonly slots: SlotOwnership;
  /** Takes part in the group until `signal` aborts. Afterwards, nothing may be written. */
  run(signal: AbortSignal): Promise<void>;
  /**
   * Gives all slots away. Resolves when this replica holds none, at the latest after `warmTimeout`, `drainTimeout` and
   * the time for a few requests to the hub.
   */
  leave(): Promise<void>;
  /** Returns the state of this replica and of its group. */
  status(): ShardingStatus;
}

/** State of a replica and of its group, as plain data. */
export interface ShardingStatus {
  /** Name of this replica. */
  readonly replica: string;
  /** Whether this replica may write to the clusters that it owns. */
  readonly fence: 'open' | 'closed';
  /** Why the fence is closed or will close, or why the replica does not take part. One sentence. */
  readonly problem?: string;
  /** Epoch of the plan that this replica acts on. 0 if there is none. */
  readonly epoch: number;
  /** Whether this replica has acknowledged the current plan. */
  readonly isCurrent: boolean;
  /** Whether that plan names this replica. A new replica is added to the plan a few seconds after it has joined. */
  readonly isMember: boolean;
  /** Number of slots of the group. */
  readonly slots: number;
  /** Number of slots that this replica serves, by state. */
  readonly held: Readonly<Record<'active' | 'warming' | 'draining', number>>;
  /**
   * The replicas in the plan, sorted. One that was restarted is listed twice until its previous process is evicted, and so
   * are two with the same name.
   */
  readonly replicas: readonly string[];
  /** Number of members that this replica evicted. */
  readonly evictions: number;
  /** Number of plans that this replica wrote. */
  readonly plans: number;
  /** Slots that this replica took over, and the time from the start of their preparation until it owned them. */
  readonly handovers: { readonly count: number; readonly milliseconds: number };
  /** Number of writes that the fence refused. */
  readonly refusedWrites: number;
}
