import { findClusterNotFound } from '../../fleet/multicluster/cluster-not-found-error.ts';
import type { ReconcileFunction, Reconciler } from './reconciler.ts';

/**
 * Returns a reconciler that ends a request without an error if its own cluster is not engaged. If another cluster is
 * not engaged, the request fails and is retried, so that it succeeds once that cluster is engaged. (Upstream:
 * `reconcile.ClusterNotFoundWrapper`, which ends the request in both cases.)
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
