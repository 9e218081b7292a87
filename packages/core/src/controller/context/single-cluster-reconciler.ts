import { withCluster } from '../../fleet/multicluster/cluster-context.ts';
import type { ReconcileContext, ReconcileFunction, Result } from '../reconcile/reconciler.ts';

/** The request of a reconciler for one cluster. */
export interface SingleClusterRequest {
  /** `''` for a cluster-scoped object. */
  readonly namespace: string;
  readonly name: string;
}

/**
 * Adapts a reconciler for one cluster to the fleet. It gets the cluster of the request from `clusterFromContext`.
 * (Upstream: `context.ReconcilerWithClusterInContext`.)
 */
export function reconcilerWithClusterInContext(
  reconcile: (request: SingleClusterRequest, context: ReconcileContext) => Promise<Result | void>,
): ReconcileFunction {
  return ({ clusterName, namespace, name }, context) =>
    withCluster(clusterName, () => reconcile({ namespace, name }, context));
}
