import type { ClusterConfig } from '@mcr/client';

/** The configuration of a cluster in memory, whose API server has no address. */
export const IN_MEMORY_CONFIG: ClusterConfig = { server: 'https://in-memory.invalid' };

/** @throws {TypeError} if `config` is that of a cluster in memory. */
export function refuseInMemory(config: ClusterConfig): void {
  // The transport refuses what is not a configuration.
  if ((Object(config) as Partial<ClusterConfig>).server !== IN_MEMORY_CONFIG.server) return;
  throw new TypeError(
    'config: an InMemoryCluster has no address to connect to: pass the cluster itself to an InMemoryProvider; ' +
      'for the cluster of a manager, use createControlPlane or createControlPlaneFleet of @mcr/envtest',
  );
}
