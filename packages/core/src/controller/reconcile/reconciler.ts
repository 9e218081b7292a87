import type { Logger } from '@mcr/client';
import type { Cluster } from '../../fleet/cluster/cluster.ts';
import type { ClusterName } from '../../fleet/multicluster/cluster-name.ts';
import type { ReconcileRequest } from './request.ts';

/** Result of a reconcile without an error. An empty result means that the request is done. */
export interface Result {
  /** Reconciles again after this time, in milliseconds, and resets the backoff of the request. */
  readonly requeueAfter?: number;
  /** Reconciles again with the backoff of the rate limiter. */
  readonly requeue?: boolean;
  /** Priority of the requeued request. Default: its previous priority. */
  readonly priority?: number;
}

/** The second argument of a reconciler. */
export interface ReconcileContext {
  /** Aborts when the cluster is disengaged, the reconcile times out, or the manager stops. */
  readonly signal: AbortSignal;
  /** Logger with the fields controller, cluster, namespace, name and reconcileID. */
  readonly log: Logger;
  /** Unique id of this call, included in its log lines as `reconcileID`. */
  readonly reconcileId: string;
  readonly clusterName: ClusterName;
  /**
   * Returns the cluster of the request.
   *
   * @throws {ClusterNotFoundError} if it is not engaged.
   */
  readonly cluster: () => Promise<Cluster>;
  /** Number of the attempt, starting at 1. It increases after each failure and each `{ requeue: true }`. */
  readonly attempt: number;
  readonly priority: number;
}

/** A reconciler as a function. See {@link Reconciler}. */
export type ReconcileFunction<R = ReconcileRequest> = (request: R, context: ReconcileContext) => Promise<Result | void>;

/**
 * Brings the actual state into line with the desired state of the object of a request. If it rejects, the request is
 * retried with backoff. (Upstream: `reconcile.TypedReconciler`.)
 */
export type Reconciler<R = ReconcileRequest> = ReconcileFunction<R> | { reconcile: ReconcileFunction<R> };
