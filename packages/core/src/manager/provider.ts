import type { FieldIndexer } from '@mcr/client';
import type { Cluster } from '../fleet/cluster/cluster.ts';
import type { Permission } from '../permissions/permission.ts';
import type { Manager } from './manager.ts';
import type { Aware } from '../fleet/multicluster/aware.ts';
import type { ClusterName } from '../fleet/multicluster/cluster-name.ts';

/** Discovers the clusters of a fleet, and engages them. (Upstream: `multicluster.Provider`.) */
export interface Provider extends FieldIndexer {
  /**
   * Returns the engaged cluster with this name.
   *
   * @throws {ClusterNotFoundError} if it is not engaged.
   */
  get(name: ClusterName): Promise<Cluster>;
  /** Returns the names of the engaged clusters, sorted. */
  clusterNames?(): ClusterName[];
  /**
   * Discovers clusters and engages them with `aware` until `signal` aborts. Resolves after the abort. The manager
   * starts it last and stops it first. (Upstream: `ProviderRunnable.Start`.)
   */
  run?(aware: Aware, signal: AbortSignal): Promise<void>;
  /**
   * Prepares a provider whose inventory is in the hub. The manager calls it before {@link run}. Programs may call it
   * earlier.
   */
  setupWithManager?(manager: Manager): Promise<void>;
  /** Returns the permissions that the provider needs. Default: none. */
  permissions?(): readonly Permission[];
}
