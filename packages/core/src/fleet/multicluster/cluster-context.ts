import { AsyncLocalStorage } from 'node:async_hooks';
import type { ClusterName } from './cluster-name.ts';

const storage = new AsyncLocalStorage<ClusterName>();

/**
 * Calls `fn`. In `fn`, and in everything that it starts, {@link clusterFromContext} returns `name`. (Upstream:
 * `context.WithCluster`.)
 */
export function withCluster<Returned>(name: ClusterName, fn: () => Returned): Returned {
  return storage.run(name, fn);
}

/**
 * Returns the cluster name set by the surrounding {@link withCluster} or `reconcilerWithClusterInContext`; `''` is the
 * local cluster. (Upstream: `context.ClusterFrom`.)
 *
 * @throws {Error} outside of both.
 */
export function clusterFromContext(): ClusterName {
  const name = storage.getStore();
  if (name === undefined) {
    throw new Error(
      'no cluster in this context: call clusterFromContext() within withCluster() or reconcilerWithClusterInContext()',
    );
  }
  return name;
}
