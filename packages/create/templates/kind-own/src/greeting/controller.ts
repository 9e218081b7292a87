import {
  ConfigMap,
  controllerManagedBy,
  type Manager,
  type ReconcileFunction,
  setControllerReference,
} from '@mcr/core';
import { Greeting } from './kind.ts';

/** Recorded as the writer of the fields that the controller sets. */
const fieldManager = 'my-operator';

/** Writes the text of a Greeting into a ConfigMap that it owns, in the cluster of the Greeting. */
export const reconcile: ReconcileFunction = async (request, { cluster, signal }) => {
  const { client } = await cluster();
  const found = await client.find(Greeting, request, { signal });
  if (!found || found.metadata.deletionTimestamp) return;

  const text = `${found.spec.salutation}, ${found.spec.recipient}`;
  const { namespace, name } = request;
  const configMap = { metadata: { namespace, name }, data: { text } };
  setControllerReference(found, configMap);
  await client.apply(ConfigMap, configMap, { fieldManager, signal });

  if (found.status?.text === text) return;
  await client.status.patch(Greeting, request, { status: { text } }, 'merge', { signal });
};

/** Adds the controller to the manager. `requires` declares what it does besides watching; see "mcr generate". */
export async function addGreetingController(manager: Manager): Promise<void> {
  await controllerManagedBy(manager)
    .for(Greeting)
    .owns(ConfigMap)
    .requires({ kind: Greeting, subresource: 'status', verbs: ['patch'] })
    .requires({ kind: ConfigMap, verbs: ['create', 'patch'] })
    .complete(reconcile);
}
