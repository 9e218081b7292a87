import type { Clock, Logger } from '@mcr/client';
import type { Cluster } from '../../fleet/cluster/cluster.ts';
import type { ClusterName } from '../../fleet/multicluster/cluster-name.ts';
import type { SourcePermission } from '../../permissions/permission.ts';
import type { ClusterEvent } from '../event/cluster-event.ts';
import type { ReconcileRequest } from '../reconcile/request.ts';
import type { RequestQueue } from '../workqueue/request-queue.ts';

/** Context of a source that belongs to a controller. */
export interface SourceContext<R> {
  /** The queue. It ignores additions after the source was stopped. */
  readonly queue: RequestQueue<R>;
  /** Stops the source. */
  readonly signal: AbortSignal;
  readonly log: Logger;
  /** The clock of the manager. */
  readonly clock: Clock;
}

/** Context of a source that is started once for its controller. */
export interface ControllerSourceContext<R> extends SourceContext<R> {
  /** The clusters of the fleet. Absent if the caller is not a controller. */
  readonly clusters?: ClusterFollower;
}

/** Follows the clusters of a fleet, except for the local cluster. */
export interface ClusterFollower {
  /** Calls `listener` for each cluster that exists, and then for each change, until `signal` aborts. */
  follow(listener: (event: ClusterEvent) => void, signal: AbortSignal): void;
  /** Returns an event for each cluster that exists. */
  current(): Iterable<ClusterEvent>;
}

/** Context of a source in one cluster. */
export interface ClusterSourceContext<R> extends SourceContext<R> {
  readonly clusterName: ClusterName;
  readonly cluster: Cluster;
  /** The local cluster of the manager. Absent if the manager has none. */
  readonly localCluster?: Cluster;
  /**
   * Reports the first event that failed in a predicate or handler, or, with `undefined`, that all failed events have been
   * handled. The source calls it. The fleet status shows the error.
   */
  readonly onUnhandled?: (error: Error | undefined) => void;
}

/** A source that was started. */
export interface StartedSource<R = never> {
  /** Resolves when the source has delivered all objects that existed at its start. Rejects if the source fails. */
  readonly synced: Promise<void>;
  /** Stops the source. It delivers no further events. */
  stop(): void;
  /** Returns the number of watched objects. Called when the fleet status is read. */
  readonly objects?: () => number;
  /** Returns for how long it has been stale, in milliseconds, or 0. Called when the fleet status is read. */
  readonly staleFor?: () => number;
  /** Returns why it has not synced or receives no changes, if known. */
  readonly lastError?: () => Error | undefined;
  /**
   * Delivers what exists once more, to `queue` instead of the queue of the context. Called for a `ControllerSource` when
   * this replica of a sharded fleet becomes the owner of requests that it has dropped before. A rejection is retried.
   * Default: it delivers nothing.
   */
  readonly replay?: (queue: RequestQueue<R>) => Promise<void>;
}

/** The name of a source. */
export interface NamedSource {
  /** Name in logs and the fleet status, for example `v1 ConfigMap`. */
  readonly name: string;
}

/** A source that is started once in each cluster. (Upstream: `mcsource.Source`.) */
export interface ClusterSource<R = ReconcileRequest> extends NamedSource {
  /** Distinguishes it from a {@link ControllerSource}. */
  readonly per: 'cluster';
  /**
   * Selects clusters. Default: the clusters of the manager's provider, or the local cluster if there is no provider.
   */
  readonly clusterFilter?: ClusterFilter;
  /** Permissions of the source in each cluster that it is started in. Default: none. */
  readonly permissions?: readonly SourcePermission[];
  /** Starts the source in one cluster. If it rejects, the start is retried with backoff. */
  start(context: ClusterSourceContext<R>): Promise<StartedSource>;
}

/** A source that is started once for its controller. (Upstream: `source.Source`.) */
export interface ControllerSource<R = ReconcileRequest> extends NamedSource {
  /** Distinguishes it from a {@link ClusterSource}. */
  readonly per: 'controller';
  start(context: ControllerSourceContext<R>): Promise<StartedSource<R>>;
}

/** A source of requests for a controller. */
export type Source<R = ReconcileRequest> = ClusterSource<R> | ControllerSource<R>;

/**
 * Selects clusters. The name of the local cluster is `''`. It is called again when labels or properties of a cluster
 * change.
 */
export type ClusterFilter = (name: ClusterName, cluster: Cluster) => boolean | Promise<boolean>;
