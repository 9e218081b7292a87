import type { FieldIndexer } from '@mcr/client';
import type { Cluster } from '../fleet/cluster/cluster.ts';
import type { Manager } from './manager.ts';
import type { Aware } from '../fleet/multicluster/aware.ts';
import type { ClusterName } from '../fleet/multicluster/cluster-name.ts';

/** Discovers the clusters of a fleet, and engages them. (Upstream: `multicluster.Provider`.) */
export interface Provider extends FieldIndexer {
  /**
   * The engaged cluster of that name.
   *
   * @throws {ClusterNotFoundError} when the provider does not know it.
   */
  get(name: ClusterName): Promise<Cluster>;
  /** The names of the engaged clusters, sorted. */
  clusterNames?(): ClusterName[];
  /**
   * The discovery loop. Clusters are engaged with `aware`. The manager runs it last and stops it first. Resolves
   * after the abort. (Upstream: `ProviderRunnable.Start`.)
   */
  run?(aware: Aware, signal: AbortSignal): Promise<void>;
  /** For an inventory that lives in the hub: called by the manager before {@link run}, unless the user already has. */
  setupWithManager?(manager: Manager): Promise<void>;
}
