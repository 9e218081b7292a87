import { createCluster, createManager, InMemoryProvider, silentLogger } from '@mcr/core';
import { createControlPlaneFleet } from '@mcr/envtest';
import { addQuotaController } from './quota-controller.ts';
import { playIn } from './quota-story.ts';

await using fleet = await createControlPlaneFleet({ members: 2 });
const provider = new InMemoryProvider();
for (const { name, config } of fleet.members) provider.set(name, createCluster(config, { name }));

const { config } = fleet.hub;
const manager = await createManager({ config, provider, logger: silentLogger, metrics: { bindAddress: '0' } });
await addQuotaController(manager);
const end = new AbortController();
const stopped = manager.start(end.signal);
try {
  await Promise.all(fleet.members.map(playIn));
} finally {
  end.abort();
  await stopped;
}
