/* Uses of the package that must compile, and uses that must not. Compiled by `tsc`, never run. */
import type { Manager, Provider } from '@mcr/core';
import type { ClusterActuator } from './index.ts';
import { createCapiProvider, createClusterController, ClusterResource } from './index.ts';

const provider: Provider = createCapiProvider({
  apiVersions: ['v1beta1', 'cluster.k8s.io/v1alpha1'],
  isReady: ({ metadata }) => metadata.labels?.['tier'] === 'gold',
});
void provider;

// @ts-expect-error -- an unknown option is refused
createCapiProvider({ secretKey: 'value' });
// @ts-expect-error -- the names of the members are those of their Clusters
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
    // @ts-expect-error -- whether all of it is gone has to be said
    delete: async () => undefined,
  });
  const { client } = manager.localManager.cluster;
  const cluster = await client.get(ClusterResource, { namespace: 'fleet', name: 'eu-1' });
  // @ts-expect-error -- an object of the cache is shared: its fields are not to be assigned
  cluster.status = {};
}
