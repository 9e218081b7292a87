import type { ClusterName } from '@mcr/core';
import { ConfigMap, controllerManagedBy, createClient, createManager, Namespace, silentLogger } from '@mcr/core';
import { eventually } from '@mcr/core/testing';
import { createControlPlane } from '@mcr/envtest';
import { createNamespaceProvider } from '@mcr/provider-namespace';

const say = (line: string) => console.log(line);

await using controlPlane = await createControlPlane();
await using admin = createClient(controlPlane.config);
const addTenant = (name: string) => admin.create(Namespace, { metadata: { name, labels: { tenant: 'true' } } });

const provider = createNamespaceProvider({ labelSelector: 'tenant=true' });
const manager = await createManager({
  config: controlPlane.config,
  provider,
  logger: silentLogger,
  metrics: { bindAddress: '0' },
});
const welcomed = new Set<ClusterName>();
await controllerManagedBy(manager)
  .named('welcome')
  .for(ConfigMap)
  .complete(async ({ clusterName, namespace, name }, { cluster }) => {
    if (name !== 'order') return;
    const { client } = await cluster();
    const order = await client.get(ConfigMap, { namespace, name });
    const thanks = { metadata: { namespace, name: 'thanks' }, data: { for: order.data?.['item'] ?? '' } };
    await client.apply(ConfigMap, thanks, { fieldManager: 'welcome' });
    welcomed.add(clusterName);
  });
const end = new AbortController();
const stopped = manager.start(end.signal);

try {
  for (const name of ['alice', 'bob']) await addTenant(name);
  await eventually(() => provider.clusterNames().length === 2);
  say(`Two tenants have a namespace each. The controller sees two clusters: ${provider.clusterNames().join(', ')}.`);

  const order = { metadata: { namespace: 'alice', name: 'order' }, data: { item: 'tea' } };
  await admin.create(ConfigMap, order);
  await eventually(() => welcomed.has('alice'));
  const thanks = await admin.get(ConfigMap, { namespace: 'alice', name: 'thanks' });
  say(
    `The controller wrote to namespace default of cluster alice, which is ${thanks.metadata.namespace}/${thanks.metadata.name}.`,
  );
  const ofBob = await admin.list(ConfigMap, { namespace: 'bob' });
  say(`Nothing was written for bob: the namespace has ${ofBob.items.length} ConfigMaps.`);

  await admin.delete(Namespace, { name: 'bob' });
  await eventually(() => provider.clusterNames().length === 1);
  say(`The namespace of bob was deleted: ${provider.clusterNames().join(', ')} is left.`);
} finally {
  end.abort();
  await stopped;
}
