import { expect, it } from '@jest/globals';
import { ConfigMap, Namespace } from '@mcr/core';
import { createNamespaceProvider } from '@mcr/provider-namespace';
import { scenario } from '../backend/stage.ts';
import { ObservedManager } from '../fleet/observed-manager.ts';
import { until } from '../until.ts';

const LABEL = 'e2e.mcr.dev/tenant-of';

scenario('provider-namespace', {}, (stage) => {
  it('NS-4: serves each labelled namespace as a cluster of its own, until it is deleted', async () => {
    const { hub, namespace } = stage();
    const [alice, bob] = [`${namespace}-alice`, `${namespace}-bob`];
    const provider = createNamespaceProvider({ labelSelector: `${LABEL}=${namespace}` });
    const manager = await ObservedManager.start(stage(), provider);

    for (const tenant of [alice, bob]) await hub.createNamespace(tenant, { [LABEL]: namespace });
    await until(() => provider.clusterNames().length === 2);
    expect([...provider.clusterNames()].sort()).toEqual([alice, bob]);

    await hub.client.create(ConfigMap, { metadata: { namespace: alice, name: 'order' }, data: { input: 'tea' } });
    await manager.saw(alice, { namespace: 'default', name: 'order' }, 'tea');
    expect(manager.hasSeen(bob, { namespace: 'default', name: 'order' }, 'tea')).toBe(false);
    const { client } = await manager.cluster(alice);
    await client.create(ConfigMap, { metadata: { namespace: 'default', name: 'thanks' }, data: { for: 'tea' } });
    const thanks = await hub.client.get(ConfigMap, { namespace: alice, name: 'thanks' });
    expect(thanks.data).toEqual({ for: 'tea' });

    await hub.client.delete(Namespace, { name: bob });
    await until(() => provider.clusterNames().length === 1);
    expect(provider.clusterNames()).toEqual([alice]);
  });
});
