import type { Manager } from '@mcr/core';
import { ConfigMap, controllerManagedBy, desired, enqueueMappedPreservingCluster, Namespace } from '@mcr/core';

/** Label of a ConfigMap in the hub; with the value `members`, it is copied. */
export const SYNC = 'example.mcr.dev/sync';

const SELECTOR = `${SYNC}=members`;

/** Copies the ConfigMaps of the hub with the label {@link SYNC} to every member. */
export async function addSyncController(manager: Manager): Promise<void> {
  const { apiReader: hub } = manager.localManager.cluster;
  await controllerManagedBy(manager)
    .named('sync')
    // A copy can be placed only once its namespace exists. A request names the original and the cluster of its copy.
    .watches(
      Namespace,
      enqueueMappedPreservingCluster<Namespace>(async ({ metadata: { name: namespace } }, { clusterName }) => {
        const { items } = await hub.list(ConfigMap, { namespace, labelSelector: SELECTOR });
        return items.map(({ metadata: { name } }) => ({ clusterName, namespace, name }));
      }),
    )
    .places(ConfigMap, {
      labelSelector: SELECTOR,
      clusters: () => true,
      kinds: [ConfigMap],
      objects: ({ metadata: { namespace = '', name }, data = {} }) => [
        desired(ConfigMap, { metadata: { namespace, name }, data }),
      ],
      // A ConfigMap has no status.
      status: false,
    });
}
