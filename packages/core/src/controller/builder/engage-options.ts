import { matchesLabels, parseLabelSelector } from '@mcr/client';
import type { Cluster } from '../../fleet/cluster/cluster.ts';
import type { Manager } from '../../manager/manager.ts';
import type { ClusterName } from '../../fleet/multicluster/cluster-name.ts';
import { LOCAL_CLUSTER } from '../../fleet/multicluster/cluster-name.ts';
import { isClusterNotFound } from '../../fleet/multicluster/cluster-not-found-error.ts';
import type { Provider } from '../../manager/provider.ts';
import type { ClusterFilter } from '../source/source.ts';

/**
 * In which clusters a watch takes part. What restricts the clusters of the provider does not keep the local cluster out.
 * (Upstream: `builder.EngageOptions`.)
 */
export interface EngageOptions {
  /** Whether in the local cluster. Default: when the manager has no provider. */
  readonly local?: boolean;
  /** Whether in the clusters of the provider. Default: when the manager has one. */
  readonly provider?: boolean;
  /** Only in these clusters of the provider. Default: all. */
  readonly filter?: (name: ClusterName, cluster: Cluster) => boolean;
  /**
   * Only in clusters of the provider whose labels (`cluster.info.labels`) match, for example `env in (prod, stage)`. When
   * a cluster's labels change, this and {@link filter} are asked again.
   */
  readonly clusterSelector?: string;
  /** Only in the clusters of this provider, where the manager's is made of several. */
  readonly from?: Pick<Provider, 'get'>;
}

export function clusterFilterOf(options: EngageOptions, manager: Pick<Manager, 'provider'>): ClusterFilter {
  const hasProvider = manager.provider !== undefined;
  const { local = !hasProvider, provider = hasProvider, filter, clusterSelector, from } = options;
  const selector = parseLabelSelector(clusterSelector ?? '');
  return (name, cluster) => {
    if (name === LOCAL_CLUSTER) return local;
    if (!provider || !matchesLabels(selector, cluster.info.labels) || filter?.(name, cluster) === false) return false;
    return from ? isOf(from, name, cluster) : true;
  };
}

/** A provider among several knows its clusters by names of its own, which may be those of another one's clusters, too. */
async function isOf(provider: Pick<Provider, 'get'>, name: ClusterName, cluster: Cluster): Promise<boolean> {
  try {
    return (await provider.get(cluster.name ?? name)) === cluster;
  } catch (error) {
    if (isClusterNotFound(error)) return false;
    throw error;
  }
}
