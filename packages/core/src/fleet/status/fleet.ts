import type { ClusterName } from '../multicluster/cluster-name.ts';

export type ClusterPhase =
  'Discovered' | 'Connecting' | 'Syncing' | 'Engaged' | 'Degraded' | 'Unreachable' | 'Disengaged';

/** A change of a cluster's phase, or of the reason for it. */
export interface ClusterTransition {
  readonly phase: ClusterPhase;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  /** One sentence for the person on call. */
  readonly reason: string;
}

/** What the fleet knows of one cluster. Plain data: a snapshot that does not change. */
export interface ClusterStatus {
  readonly name: ClusterName;
  readonly phase: ClusterPhase;
  /** When the phase began, in milliseconds since the Unix epoch. */
  readonly since: number;
  readonly reason: string;
  /** The latest error of the cluster or of a reconcile. It stays after a success. */
  readonly lastError?: string;
  /** When it occurred, in milliseconds since the Unix epoch. */
  readonly lastErrorAt?: number;
  /** How its reconciles are restricted, so that they do not delay other clusters. Default: not restricted. */
  readonly isolation?: Isolation;
  /** Each watched source, by its text (for example `v1 ConfigMap`). */
  readonly sources: Readonly<Record<string, SourceStatus>>;
  readonly objects: number;
  readonly reconciles: number;
  readonly errors: number;
  /** The latest transitions, oldest first. */
  readonly history: readonly ClusterTransition[];
}

export interface SourceStatus {
  readonly synced: boolean;
  readonly objects: number;
  /**
   * Milliseconds since the API server was last heard. Present only while its requests fail, or if it has been silent for
   * more than 90 s, although a healthy one sends a bookmark every minute.
   */
  readonly staleFor?: number;
}

/**
 * How reconciles of a cluster are restricted:
 *
 * - `slow`: a call of a reconcile had no complete response for a second. Slow clusters together hold at most half of a
 *   controller's workers.
 * - `parked`: it does not answer. Its requests wait outside of the workers, and are tried again automatically.
 */
export interface Isolation {
  readonly state: 'slow' | 'parked';
  /** In milliseconds since the Unix epoch. */
  readonly since: number;
  readonly reason: string;
}

/** The state of every cluster that was ever discovered: which are engaged, and why one is not. */
export interface Fleet {
  get(name: ClusterName): ClusterStatus | undefined;
  /** Sorted by name. */
  list(): ClusterStatus[];
  /** Yields each change of a phase, its reason or an isolation, until `signal` aborts. */
  changes(signal: AbortSignal): AsyncIterable<ClusterStatus>;
  /** Where the parts of the system write what they see. */
  readonly recorder: FleetRecorder;
}

export interface FleetRecorder {
  phase(name: ClusterName, phase: ClusterPhase, reason: string, error?: Error): void;
  /**
   * Records the provider's report on an engaged cluster. The phase stays, and the report becomes the reason. A report with an
   * `error` is a problem: it stays the reason until the next report or engagement.
   */
  reported(name: ClusterName, reason: string, error?: Error): void;
  /** The state of one source of one controller in one cluster. Engaged means that all of them have synced. */
  source(name: ClusterName, source: SourceObservation): void;
  /** An engaged cluster does not answer, and has not for a while; it stays engaged. */
  unreachable(name: ClusterName, error: Error): void;
  /** It answers again. */
  reachable(name: ClusterName): void;
  /** It has answered a health check: time to ask its sources whether they are refused what they ask for. */
  healthy(name: ClusterName): void;
  /** Sets how its reconciles are restricted. `undefined`: not restricted. */
  isolated(name: ClusterName, isolation: Pick<Isolation, 'state' | 'reason'> | undefined): void;
  reconcile(name: ClusterName, outcome: ReconcileOutcome): void;
}

export interface SourceObservation {
  readonly controller: string;
  /** For example `v1 ConfigMap`. */
  readonly source: string;
  readonly state: 'syncing' | 'synced' | 'failed' | 'stopped';
  /** Why it has failed, or what keeps it from hearing of its objects. */
  readonly error?: Error;
  /** Why events of it could not be handled and are tried again, while they are. */
  readonly unhandled?: Error;
  /** Asked when somebody reads the status. */
  readonly objects?: () => number;
  /** See {@link SourceStatus.staleFor}; 0 if it is not stale. Called when the status is read. */
  readonly staleFor?: () => number;
  /** Why its latest request failed; asked at each health check. */
  readonly lastError?: () => Error | undefined;
}

export interface ReconcileOutcome {
  readonly controller: string;
  readonly result: 'success' | 'error' | 'requeue' | 'requeue_after';
  readonly error?: Error;
}
