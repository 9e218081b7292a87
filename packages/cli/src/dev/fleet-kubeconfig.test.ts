import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { createClient, loadKubeconfig, Namespace } from '@mcr/core';
import { createControlPlaneFleet } from '@mcr/envtest';
import { fleetKubeconfig } from './fleet-kubeconfig.ts';

it('WB-2: the kubeconfig of mcr dev has a context for the hub, which is the current one, and for each member', async () => {
  await using fleet = await createControlPlaneFleet({ members: 2, backend: 'embedded' });
  const directory = await mkdtemp(join(tmpdir(), 'mcr-kubeconfig-'));
  try {
    const path = join(directory, 'kubeconfig');
    await writeFile(path, fleetKubeconfig(fleet));
    for (const plane of [fleet.hub, ...fleet.members]) {
      await using client = createClient(loadKubeconfig({ path, context: plane.name }));
      await client.create(Namespace, { metadata: { name: `of-${plane.name}` } });
      await using own = createClient(plane.config);
      expect(await own.find(Namespace, { name: `of-${plane.name}` })).toBeDefined();
    }
    await using current = createClient(loadKubeconfig({ path }));
    expect(await current.find(Namespace, { name: `of-${fleet.hub.name}` })).toBeDefined();
  } finally {
    await rm(directory, { recursive: true });
  }
});
