import type { Logger } from '@mcr/client';
import type { Cluster } from '../../fleet/cluster/cluster.ts';
import type { ClusterName } from '../../fleet/multicluster/cluster-name.ts';
import type { Request } from './request.ts';

/** What is to happen to a request that was reconciled without an error. Nothing: it is done. */
export interface Result {
  /** Reconcile again after this many milliseconds. The backoff of the request is forgotten. */
  readonly requeueAfter?: number;
  /** Reconcile again with the rate limiter's backoff. */
  readonly requeue?: boolean;
  /** Priority of the requeued request. Default: the one it had. */
  readonly priority?: number;
}

/** What one reconcile is given besides its request. */
export interface ReconcileContext {
  /** Aborts when the cluster is disengaged, the reconcile times out, or the manager stops. */
  readonly signal: AbortSignal;
  /** Carries controller, cluster, namespace, name and the reconcile's id. */
  readonly log: Logger;
  /** Of this one call; in every log line as `reconcileID`. */
  readonly reconcileId: string;
  readonly clusterName: ClusterName;
  /**
   * The cluster of the request.
   *
   * @throws {ClusterNotFoundError} when it has left the fleet.
   */
  readonly cluster: () => Promise<Cluster>;
  /** 1 at first; one more after each failure and each `{ requeue: true }`. */
  readonly attempt: number;
  readonly priority: number;
}

export type ReconcileFunction<R = Request> = (request: R, context: ReconcileContext) => Promise<Result | void>;

/** Brings the world into the state that the object of a request asks for. A rejection is retried with backoff. */
export type Reconciler<R = Request> = ReconcileFunction<R> | { reconcile: ReconcileFunction<R> };
