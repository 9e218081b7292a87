import type { ClusterName } from '../multicluster/cluster-name.ts';
import type { OwnershipState } from '../multicluster/ownership.ts';

/**
 * State of a cluster:
 *
 * - `Discovered`: the inventory contains it, but it is not ready or this process does not serve it.
 * - `Connecting`: waiting for the API server's first response.
 * - `Syncing`: engaged, but not all sources have synced.
 * - `Engaged`: all sources have synced.
 * - `Degraded`: engaged, but a source fails or the cluster is parked.
 * - `Unreachable`: the API server does not answer.
 * - `Disengaged`: no longer served.
 */
export type ClusterPhase =
  'Discovered' | 'Connecting' | 'Syncing' | 'Engaged' | 'Degraded' | 'Unreachable' | 'Disengaged';

/** A change of a cluster's phase, or of the reason for it. */
export interface ClusterTransition {
  readonly phase: ClusterPhase;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  /** One sentence, shown in the fleet status and logs. */
  readonly reason: string;
}

/** Immutable snapshot of the status of one cluster, as plain data. */
export interface ClusterStatus {
  readonly name: ClusterName;
  readonly phase: ClusterPhase;
  /** When the phase began, in milliseconds since the Unix epoch. */
  readonly since: number;
  /** Reason for the phase: one sentence. */
  readonly reason: string;
  /** Labels of the cluster. Absent if it has none, or if they are not known because it was never engaged here. */
  readonly labels?: Readonly<Record<string, string>>;
  /** The latest error of the cluster or of a reconcile. It stays after a success: {@link reason} says what is wrong now. */
  readonly lastError?: string;
  /** When it occurred, in milliseconds since the Unix epoch. */
  readonly lastErrorAt?: number;
  /** Which replica serves it. Absent if the fleet is not sharded. */
  readonly ownership?: OwnershipStatus;
  /** Restriction of its reconciles, so that they do not delay other clusters. Default: none. */
  readonly isolation?: Isolation;
  /** Status of each watched source, by its name (for example `v1 ConfigMap`). */
  readonly sources: Readonly<Record<string, SourceStatus>>;
  /** Number of watched objects. Objects of one kind count once, even if several controllers watch them. */
  readonly objects: number;
  /**
   * Size of the stored objects of its cache in bytes. Absent if the cluster is not engaged, or if its cache is a view of
   * another cluster's.
   */
  readonly cachedBytes?: number;
  /** Number of reconciles since the cluster was discovered. */
  readonly reconciles: number;
  /** Number of failed reconciles among them. */
  readonly errors: number;
  /** The latest transitions, oldest first. */
  readonly history: readonly ClusterTransition[];
}

/** Which replica serves a cluster. */
export interface OwnershipStatus {
  /** How this replica serves it. `unknown`: this replica has not read a plan, so that no owner is known. */
  readonly state: OwnershipState | 'unknown';
  /** The replica that owns it. Absent while it is not known. */
  readonly owner?: string;
}

/** Status of one watched source in one cluster. */
export interface SourceStatus {
  /** Whether it has synced in all controllers that watch it, and none of them reports an error. */
  readonly synced: boolean;
  /** Number of objects. */
  readonly objects: number;
  /**
   * Milliseconds since the API server last answered. Present only while requests fail, or after 90 s of silence,
   * because a healthy server sends a bookmark every minute.
   */
  readonly staleFor?: number;
}

/**
 * Restriction of the reconciles of a cluster:
 *
 * - `slow`: a call of a reconcile had no complete response for a second. Slow clusters together hold at most half of a
 *   controller's workers.
 * - `parked`: it does not answer. Its requests wait without holding workers, and are retried automatically.
 */
export interface Isolation {
  readonly state: 'slow' | 'parked';
  /** In milliseconds since the Unix epoch. */
  readonly since: number;
  readonly reason: string;
}

/** Status of every discovered cluster. */
export interface Fleet {
  /** Returns the status of a cluster, or `undefined` if it is unknown. */
  get(name: ClusterName): ClusterStatus | undefined;
  /** Returns the status of every cluster, sorted by name. */
  list(): ClusterStatus[];
  /** Yields each change of a phase, its reason, labels, an isolation or an ownership, until `signal` aborts. */
  changes(signal: AbortSignal): AsyncIterable<ClusterStatus>;
  /** Records observations of the manager, controllers and providers. */
  readonly recorder: FleetRecorder;
}

/** Records observations in the fleet status. The manager, controllers and providers use it. */
export interface FleetRecorder {
  /** Records the phase of a cluster that is not engaged, or its engagement. */
  phase(name: ClusterName, phase: ClusterPhase, reason: string, error?: Error): void;
  /**
   * Records the provider's report about an engaged cluster. The phase stays, and the report becomes the reason. A report
   * with an `error` remains the reason until the next report or engagement.
   */
  reported(name: ClusterName, reason: string, error?: Error): void;
  /**
   * Records the state of one source of one controller in one cluster. A cluster is Engaged when all sources have
   * synced.
   */
  source(name: ClusterName, source: SourceObservation): void;
  /** Records that an engaged cluster failed its health checks. It stays engaged. */
  unreachable(name: ClusterName, error: Error): void;
  /** Records that the cluster answers again. */
  reachable(name: ClusterName): void;
  /** Records a successful health check. The sources are then checked for refused requests. */
  healthy(name: ClusterName): void;
  /** Records the restriction of a cluster's reconciles. `undefined` means none. */
  isolated(name: ClusterName, isolation: Pick<Isolation, 'state' | 'reason'> | undefined): void;
  /** Records the labels of a cluster. Has no effect if the cluster is unknown. */
  labels(name: ClusterName, labels: Readonly<Record<string, string>>): void;
  /** Records that the ownership of a cluster has changed. It is read when the status is. */
  ownership(name: ClusterName): void;
  /** Counts a reconcile. */
  reconcile(name: ClusterName, outcome: ReconcileOutcome): void;
}

/** State of one source of one controller in one cluster. */
export interface SourceObservation {
  readonly controller: string;
  /** For example `v1 ConfigMap`. */
  readonly source: string;
  readonly state: 'syncing' | 'synced' | 'failed' | 'stopped';
  /** The reason why a source is syncing. Default: its initial list is in progress. */
  readonly waitsFor?: string;
  /** Why it failed, or why it receives no changes of its objects. */
  readonly error?: Error;
  /** Why some of its events could not be handled. Present while they are retried. */
  readonly unhandled?: Error;
  /** Number of objects. Called when the status is read. */
  readonly objects?: () => number;
  /** See {@link SourceStatus.staleFor}; 0 if it is not stale. Called when the status is read. */
  readonly staleFor?: () => number;
  /** Returns the failure of its latest request. Called at each health check. */
  readonly lastError?: () => Error | undefined;
}

/** Result of one reconcile, as counted in the fleet status. */
export interface ReconcileOutcome {
  readonly controller: string;
  readonly result: 'success' | 'error' | 'requeue' | 'requeue_after';
  readonly error?: Error;
}
