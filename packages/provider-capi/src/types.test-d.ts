/* Uses of the package that must compile, and uses that must not. Compiled by `tsc`, never run. */
import type { Manager, Provider } from '@mcr/core';
import type { ClusterActuator } from './index.ts';
import { createCapiProvider, createClusterController, ClusterResource } from './index.ts';

const provider: Provider = createCapiProvider({
  apiVersions: ['v1beta1', 'cluster.k8s.io/v1alpha1'],
  isReady: ({ metadata }) => metadata.labels?.['tier'] === 'gold',
});
void provider;

// @ts-expect-error -- unknown options are refused
createCapiProvider({ secretKey: 'value' });
// @ts-expect-error -- clusters are named after their Clusters
createCapiProvider({ clusterOptions: { name: 'eu-1' } });

export async function actuated(manager: Manager): Promise<void> {
  const actuator: ClusterActuator = {
    reconcile: async ({ spec }) => ({
      apiEndpoints: [{ host: String(spec?.providerSpec?.value?.['host']), port: 6443 }],
    }),
    delete: async () => true,
  };
  await createClusterController(manager, actuator, { resync: 60_000 });
  await createClusterController(manager, {
    ...actuator,
    // @ts-expect-error -- delete must return whether the cluster no longer exists
    delete: async () => undefined,
  });
  const { client } = manager.localManager.cluster;
  const cluster = await client.get(ClusterResource, { namespace: 'fleet', name: 'eu-1' });
  // @ts-expect-error -- objects of the cache are shared and read-only
  cluster.status = {};
}
