import { ConfigMap, controllerManagedBy, type Manager, type ReconcileFunction } from '@mcr/core';

/** Objects with this label are reconciled. */
export const LABEL = 'my-operator.demo.example.com/enabled';
/** Annotation of an object that was reconciled: the name of its cluster in the fleet. */
export const SEEN = 'my-operator.demo.example.com/cluster';

/** Writes the name of the cluster into each object. */
export const reconcile: ReconcileFunction = async (request, { cluster, clusterName, signal }) => {
  const { client } = await cluster();
  const found = await client.find(ConfigMap, request, { signal });
  if (!found || found.metadata.deletionTimestamp) return;
  if (found.metadata.annotations?.[SEEN] === clusterName) return;
  const annotations = { [SEEN]: clusterName };
  await client.patch(ConfigMap, request, { metadata: { annotations } }, 'merge', { signal });
};

/** Adds the controller to the manager. `requires` declares what it does besides watching; see "mcr generate". */
export async function addConfigMapController(manager: Manager): Promise<void> {
  await controllerManagedBy(manager)
    .for(ConfigMap, { labelSelector: `${LABEL}=true` })
    .requires({ kind: ConfigMap, verbs: ['patch'] })
    .complete(reconcile);
}
