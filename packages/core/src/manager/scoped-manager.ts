import type { Cluster } from '../fleet/cluster/cluster.ts';
import { LOCAL_CLUSTER } from '../fleet/multicluster/cluster-name.ts';
import { ClusterNotFoundError } from '../fleet/multicluster/cluster-not-found-error.ts';
import type { ScopedManager } from './manager.ts';

/** The parts of a {@link ScopedManager}. */
export interface ScopedManagerParts extends Omit<ScopedManager, 'cluster'> {
  /** @throws {ClusterNotFoundError} for the local cluster of a manager without one. */
  readonly clusterOf: () => Cluster;
}

/** A scope whose cluster is looked up on use, because a manager may run without a local cluster. */
export function scopedManager({ clusterOf, ...parts }: ScopedManagerParts): ScopedManager {
  return {
    ...parts,
    get cluster() {
      return clusterOf();
    },
  };
}

/** Returns `scope` with another `add`. */
export function withAdd(scope: ScopedManager, add: ScopedManager['add']): ScopedManager {
  const { clusterName, logger, clock, controllerOptions } = scope;
  return scopedManager({ clusterName, logger, clock, controllerOptions, add, clusterOf: () => scope.cluster });
}

/** Creates the error for code that uses the local cluster of a manager without one. */
export function noLocalCluster(): ClusterNotFoundError {
  return new ClusterNotFoundError(LOCAL_CLUSTER, {
    hint: 'the manager runs without a local cluster: set $KUBECONFIG or the option "config" of createManager',
  });
}
