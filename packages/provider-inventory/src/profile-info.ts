import type { ClusterInfo, DeepReadonly } from '@mcr/core';
import { CLUSTERSET_PROPERTY, infoOf } from '@mcr/core/provider';
import type { ClusterProfile } from './cluster-profile.ts';
import type { ProfileStatus } from './profile-status.ts';

/** Label and property with the manager of a cluster (KEP-4322). */
const CLUSTER_MANAGER = 'x-k8s.io/cluster-manager';

/**
 * Returns the information about a profile's cluster.
 *
 * @param clusterset value of the namespace's label. It takes precedence over the profile's label, and that over its properties.
 */
export function profileInfoOf(
  profile: DeepReadonly<ClusterProfile>,
  status: ProfileStatus,
  clusterset: string | undefined,
): Omit<ClusterInfo, 'version'> {
  const said = Object.fromEntries((status.properties ?? []).map(({ name, value }) => [name, value]));
  const info = infoOf(profile, {
    provider: 'inventory',
    properties: { ...said, [CLUSTER_MANAGER]: profile.spec.clusterManager.name },
  });
  return clusterset ? { ...info, properties: { ...info.properties, [CLUSTERSET_PROPERTY]: clusterset } } : info;
}
