/*
 * The data that the page receives. The page is compiled for browsers and cannot use the types of `@mcr/core`, so they are repeated
 * here as far as the page shows them. Times are in milliseconds since the Unix epoch.
 */

/** A cluster in the table. */
export interface ClusterRow {
  readonly name: string;
  readonly phase: string;
  readonly since: number;
  readonly reason: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly owner?: string;
  /** Set if the reconciles of the cluster are restricted. */
  readonly isolation?: string;
  /** Set if a watch of the cluster is stale. */
  readonly stale?: true;
  readonly objects: number;
  readonly reconciles: number;
  readonly errors: number;
  readonly lastError?: string;
  readonly lastErrorAt?: number;
}

/** Event `clusters`: rows that are new or have changed. */
export interface ClustersEvent {
  /** Set at the start of a snapshot: rows from before are not valid. */
  readonly reset?: true;
  /** Whether the rows of the viewer are now those of the server. If not, the next event follows at once. */
  readonly complete: boolean;
  readonly removed: readonly string[];
  readonly rows: readonly ClusterRow[];
}

/** Event `overview`: everything that is not about one cluster, every two seconds. */
export interface Overview {
  readonly title: string;
  /** Time of the server. */
  readonly now: number;
  /** Absent if this process takes no part in a leader election. */
  readonly isLeader?: boolean;
  readonly controllers: readonly ControllerFigures[];
  /** Absent if the fleet is not sharded. */
  readonly replica?: ReplicaFigures;
}

/** Figures of one controller. Rates and percentiles are of the last minute, and absent if nothing happened in it. */
export interface ControllerFigures {
  readonly name: string;
  readonly workers: number;
  readonly activeWorkers: number;
  /** Reconciles since the start of the process. */
  readonly reconciles: number;
  readonly errors: number;
  /** Per second. */
  readonly reconcileRate?: number;
  readonly errorRate?: number;
  /** Duration of reconciles. */
  readonly reconcileSeconds?: Percentiles;
  /** Requests that wait. */
  readonly depth: number;
  /** Time that requests waited in the queue. */
  readonly waitSeconds?: Percentiles;
  /** Time for which the longest reconcile in progress has run. */
  readonly longestSeconds: number;
}

export interface Percentiles {
  readonly p50: number;
  readonly p99: number;
}

/** State of a replica in a sharded fleet. */
export interface ReplicaFigures {
  readonly name: string;
  readonly fence: string;
  readonly problem?: string;
  readonly epoch: number;
  readonly isMember: boolean;
  readonly slots: number;
  readonly held: Readonly<Record<'active' | 'warming' | 'draining', number>>;
  readonly replicas: readonly string[];
  readonly handovers: { readonly count: number; readonly milliseconds: number };
  readonly refusedWrites: number;
}

/** Everything about one cluster. */
export interface ClusterDetail {
  readonly status: ClusterStatus;
  /** Reconciles of each controller in the cluster. Empty if they are not counted by cluster. */
  readonly controllers: readonly ClusterReconciles[];
  /** Size of the cached objects by kind, in bytes. Absent if the cluster is not engaged here. */
  readonly kinds?: readonly { readonly kind: string; readonly objects: number; readonly bytes: number }[];
  /** Requests to the API server since the start of the process. Absent if they are not counted by host. */
  readonly requests?: { readonly count: number; readonly seconds?: Percentiles };
}

export interface ClusterReconciles {
  readonly controller: string;
  /** Counts by result. */
  readonly results: Readonly<Record<string, number>>;
}

export interface ClusterStatus {
  readonly name: string;
  readonly phase: string;
  readonly since: number;
  readonly reason: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly lastError?: string;
  readonly lastErrorAt?: number;
  readonly ownership?: { readonly state: string; readonly owner?: string };
  readonly isolation?: { readonly state: string; readonly since: number; readonly reason: string };
  readonly sources: Readonly<
    Record<string, { readonly synced: boolean; readonly objects: number; readonly staleFor?: number }>
  >;
  readonly objects: number;
  readonly cachedBytes?: number;
  readonly reconciles: number;
  readonly errors: number;
  readonly history: readonly { readonly phase: string; readonly at: number; readonly reason: string }[];
}
