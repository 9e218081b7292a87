import type { Cluster } from '../cluster/cluster.ts';
import type { Manager } from '../manager/manager.ts';
import type { ClusterName } from '../multicluster/cluster-name.ts';
import { LOCAL_CLUSTER } from '../multicluster/cluster-name.ts';
import type { ClusterFilter } from '../source/source.ts';

/** In which clusters a watch takes part. (Upstream: `builder.EngageOptions`.) */
export interface EngageOptions {
  /** Whether in the local cluster. Default: when the manager has no provider. */
  readonly local?: boolean;
  /** Whether in the clusters of the provider. Default: when the manager has one. */
  readonly provider?: boolean;
  /** Only in these clusters of the provider. Default: all. */
  readonly filter?: (name: ClusterName, cluster: Cluster) => boolean;
}

export function clusterFilterOf(options: EngageOptions, manager: Pick<Manager, 'provider'>): ClusterFilter {
  const hasProvider = manager.provider !== undefined;
  const { local = !hasProvider, provider = hasProvider, filter } = options;
  return (name, cluster) => (name === LOCAL_CLUSTER ? local : provider && (filter?.(name, cluster) ?? true));
}
