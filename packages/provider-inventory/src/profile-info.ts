import type { ClusterInfo, DeepReadonly } from '@mcr/core';
import type { ClusterProfile } from './cluster-profile.ts';
import type { ProfileStatus } from './profile-status.ts';

/** On a namespace: of which clusterset all profiles in it are (KEP-4322). */
export const CLUSTERSET_LABEL = 'multicluster.x-k8s.io/clusterset';

/** The properties by which a cluster says in which clusterset it is (KEP-2149). */
const CLUSTERSET_PROPERTY = 'clusterset.k8s.io';

/** The label and property that says who manages a cluster (KEP-4322). */
const CLUSTER_MANAGER = 'x-k8s.io/cluster-manager';

/**
 * What is known of a profile's cluster.
 *
 * @param clusterset what the label of its namespace says: it goes before what the cluster says of itself.
 */
export function infoOf(
  { apiVersion, kind, metadata, spec }: DeepReadonly<ClusterProfile>,
  status: ProfileStatus,
  clusterset: string | undefined,
): Omit<ClusterInfo, 'version'> {
  const properties = Object.fromEntries((status.properties ?? []).map(({ name, value }) => [name, value]));
  return {
    provider: 'inventory',
    labels: { ...metadata.labels },
    properties: {
      ...properties,
      [CLUSTER_MANAGER]: spec.clusterManager.name,
      ...(clusterset && { [CLUSTERSET_PROPERTY]: clusterset }),
    },
    origin: { apiVersion, kind, metadata },
  };
}
