import type { Clock, Logger } from '@mcr/client';
import type { Cluster } from '../../fleet/cluster/cluster.ts';
import type { ClusterName } from '../../fleet/multicluster/cluster-name.ts';
import type { Request } from '../reconcile/request.ts';
import type { RequestQueue } from '../workqueue/request-queue.ts';

/** What a source of a controller is started with. */
export interface SourceContext<R> {
  /** Takes nothing more once the source is stopped. */
  readonly queue: RequestQueue<R>;
  /** Ends the start, and what was started. */
  readonly signal: AbortSignal;
  readonly log: Logger;
  /** The manager's. */
  readonly clock: Clock;
}

/** What a source is started with in one cluster. */
export interface ClusterSourceContext<R> extends SourceContext<R> {
  readonly clusterName: ClusterName;
  readonly cluster: Cluster;
  /**
   * The source calls it when its events begin to fail in a predicate or handler, and with `undefined` when all have been
   * handled. The fleet status shows the error.
   */
  readonly onUnhandled?: (error: Error | undefined) => void;
}

/** A source that was started. */
export interface StartedSource {
  /** Resolves when the source has told of everything there was at its start. A rejection: it failed. */
  readonly synced: Promise<void>;
  /** No event follows. */
  stop(): void;
  /** How many objects it watches; asked when somebody reads the fleet's status. */
  readonly objects?: () => number;
  /** Milliseconds since the API server was last heard, or 0 if that is not too long; called when the status is read. */
  readonly staleFor?: () => number;
  /** Why it has not synced yet, or does not hear of changes any more, as far as is known. */
  readonly lastError?: () => Error | undefined;
}

interface Named {
  /** For people, for example `v1 ConfigMap`. */
  readonly name: string;
}

/** Watches something that is in every cluster: it is started once for each. (Upstream: `mcsource.Source`.) */
export interface ClusterSource<R = Request> extends Named {
  readonly per: 'cluster';
  /**
   * Whether it takes part in a cluster. Default: the clusters of the manager's provider, or the local cluster when
   * there is no provider.
   */
  readonly clusterFilter?: ClusterFilter;
  start(context: ClusterSourceContext<R>): Promise<StartedSource>;
}

/** Brings requests from elsewhere: it is started once for its controller. (Upstream: `source.Source`.) */
export interface ControllerSource<R = Request> extends Named {
  readonly per: 'controller';
  start(context: SourceContext<R>): Promise<StartedSource>;
}

export type Source<R = Request> = ClusterSource<R> | ControllerSource<R>;

/** Chooses clusters. The local cluster's name is `''`. It is asked again when a cluster's labels or properties change. */
export type ClusterFilter = (name: ClusterName, cluster: Cluster) => boolean | Promise<boolean>;
