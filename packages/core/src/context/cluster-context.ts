import { AsyncLocalStorage } from 'node:async_hooks';
import type { ClusterName } from '../multicluster/cluster-name.ts';
import type { ReconcileContext, ReconcileFunction, Result } from '../reconcile/reconciler.ts';

const storage = new AsyncLocalStorage<ClusterName>();

/** Calls `fn`; in it, and in what it starts, {@link clusterFromContext} gives `name`. (Upstream: `context.WithCluster`.) */
export function withCluster<Returned>(name: ClusterName, fn: () => Returned): Returned {
  return storage.run(name, fn);
}

/**
 * The cluster that the surrounding {@link withCluster} or {@link reconcilerWithClusterInContext} set; `''` is the local
 * one. (Upstream: `context.ClusterFrom`.)
 *
 * @throws {Error} outside of both.
 */
export function clusterFromContext(): ClusterName {
  const name = storage.getStore();
  if (name === undefined) {
    throw new Error(
      'there is no cluster in this context: call clusterFromContext() within withCluster() or a reconcilerWithClusterInContext()',
    );
  }
  return name;
}

/** What a reconciler that knows no cluster is asked to reconcile. */
export interface SingleClusterRequest {
  /** `''` for a cluster-scoped object. */
  readonly namespace: string;
  readonly name: string;
}

/**
 * Makes a reconciler that knows no cluster one of the fleet: it finds the request's cluster by
 * {@link clusterFromContext}. (Upstream: `context.ReconcilerWithClusterInContext`.)
 */
export function reconcilerWithClusterInContext(
  reconcile: (request: SingleClusterRequest, context: ReconcileContext) => Promise<Result | void>,
): ReconcileFunction {
  return ({ clusterName, namespace, name }, context) =>
    withCluster(clusterName, () => reconcile({ namespace, name }, context));
}
