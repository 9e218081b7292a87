import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { ConfigMap, createCluster, InMemoryProvider } from '@mcr/core';
import { createFileProvider } from '@mcr/provider-file';
import { createKubeconfigProvider } from '@mcr/provider-kubeconfig';
import { createMultiProvider } from '@mcr/provider-multi';
import { createNamespaceProvider } from '@mcr/provider-namespace';
import { kubeconfigOfContexts } from '../backend/kubeconfig.ts';
import { scenario } from '../backend/stage.ts';
import { ObservedManager } from '../fleet/observed-manager.ts';
import { SecretFleet } from '../fleet/secret-fleet.ts';

const LABEL = 'e2e.mcr.dev/tenant-of';

scenario('provider-multi', { members: 2 }, (stage) => {
  it('MU-1: serves clusters of kubeconfig Secrets, files, namespaces and code as one fleet', async () => {
    const { hub, namespace, directory } = stage();
    const [one, two] = [stage().member(0), stage().member(1)];
    const file = join(directory, 'fleet.kubeconfig');
    const tenant = `${namespace}-alice`;
    for (const member of [one, two]) await member.put('settings', member.name);
    await new SecretFleet(stage()).declare('eu', (await one.issuePass()).kubeconfig);
    await writeFile(file, kubeconfigOfContexts({ eu: (await two.issuePass()).config }), { mode: 0o600 });
    await hub.createNamespace(tenant, { [LABEL]: namespace });
    await hub.client.create(ConfigMap, { metadata: { namespace: tenant, name: 'order' }, data: { input: 'tea' } });

    const provider = createMultiProvider();
    await provider.addProvider('secrets', createKubeconfigProvider({ namespace }));
    await provider.addProvider('files', createFileProvider({ kubeconfigFiles: [file] }));
    await provider.addProvider('tenants', createNamespaceProvider({ labelSelector: `${LABEL}=${namespace}` }));
    const manager = await ObservedManager.start(stage(), provider);
    await manager.saw('secrets#eu', one.key('settings'), 'member-1');
    await manager.saw(`files#${file}+eu`, two.key('settings'), 'member-2');
    await manager.saw(`tenants#${tenant}`, { namespace: 'default', name: 'order' }, 'tea');

    // A provider that joins while the manager runs, with a cluster that another provider has under another name.
    const ofCode = new InMemoryProvider();
    ofCode.set('shop', createCluster((await one.issuePass()).config, { name: 'shop' }));
    await provider.addProvider('code', ofCode);
    await manager.saw('code#shop', one.key('settings'), 'member-1');

    await provider.removeProvider('secrets');
    await manager.reaches('secrets#eu', 'Disengaged');
    await one.put('settings', 'after');
    await manager.saw('code#shop', one.key('settings'), 'after');
    expect([...provider.clusterNames()].sort()).toEqual(['code#shop', `files#${file}+eu`, `tenants#${tenant}`]);
  });
});
