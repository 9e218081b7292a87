import { findClusterNotFound } from '../../fleet/multicluster/cluster-not-found-error.ts';
import type { ReconcileFunction, Reconciler } from './reconciler.ts';

/**
 * Ends a request quietly when its own cluster has left the fleet. For another cluster the error stands, and the request
 * is retried: an object whose target is not engaged yet recovers. (Upstream: `reconcile.ClusterNotFoundWrapper`, which
 * ends the request in both cases.)
 */
export function clusterNotFoundWrapper<R>(reconciler: Reconciler<R>): ReconcileFunction<R> {
  return async (request, context) => {
    try {
      return await (typeof reconciler === 'function'
        ? reconciler(request, context)
        : reconciler.reconcile(request, context));
    } catch (error) {
      if (findClusterNotFound(error)?.clusterName !== context.clusterName) throw error;
      return undefined;
    }
  };
}
