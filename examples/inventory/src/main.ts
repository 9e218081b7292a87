import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClusterName } from '@mcr/core';
import { ConfigMap, controllerManagedBy, createClient, createManager, Namespace, silentLogger } from '@mcr/core';
import { eventually } from '@mcr/core/testing';
import { createControlPlaneFleet } from '@mcr/envtest';
import { createInventoryProvider } from '@mcr/provider-inventory';
import { ClusterManager } from './cluster-manager.ts';

const say = (line: string) => console.log(line);

await using fleet = await createControlPlaneFleet({ members: 2 });
const [eu, us] = fleet.members;
if (!eu || !us) throw new Error('expected two members');
await using hub = createClient(fleet.hub.config);
const tokens = await mkdtemp(join(tmpdir(), 'mcr-example-inventory-'));
const clusterManager = new ClusterManager(hub, tokens);
await clusterManager.setUp();

const plugin = join(import.meta.dirname, 'plugin.ts');
const manager = await createManager({
  config: fleet.hub.config,
  provider: createInventoryProvider({
    namespace: ClusterManager.namespace,
    accessProviders: [
      {
        name: 'tokens',
        execConfig: {
          apiVersion: 'client.authentication.k8s.io/v1',
          command: process.execPath,
          args: [plugin],
          env: [{ name: 'TOKENS', value: tokens }],
          provideClusterInfo: true,
        },
      },
    ],
  }),
  logger: silentLogger,
  metrics: { bindAddress: '0' },
});
const seen = new Map<ClusterName, number>();
await controllerManagedBy(manager)
  .named('counter')
  .for(ConfigMap)
  .complete(async ({ clusterName }) => void seen.set(clusterName, (seen.get(clusterName) ?? 0) + 1));
const nameOf = (name: string): ClusterName => `${ClusterManager.namespace}/${name}`;
const statusOf = (name: string) => manager.fleet.get(nameOf(name));

const end = new AbortController();
const stopped = manager.start(end.signal);
try {
  await using member = createClient(eu.config);
  await member.create(ConfigMap, { metadata: { namespace: 'default', name: 'settings' } });

  await clusterManager.renewToken('eu', eu);
  await clusterManager.publish('eu', eu);
  await eventually(() => statusOf('eu')?.phase === 'Discovered');
  say('A ClusterProfile was published: the cluster is Discovered until it is healthy.');

  await clusterManager.setHealthy('eu', 'True');
  await eventually(() => seen.has(nameOf('eu')));
  const cluster = await manager.getCluster(nameOf('eu'));
  say(`The cluster is healthy: ${nameOf('eu')} is reconciled, with a token of the plugin.`);
  await eventually(() => cluster.info.properties['clusterset.k8s.io'] === 'shop');
  say(`Controllers can select clusters by properties: ${JSON.stringify(cluster.info.properties)}`);

  await clusterManager.renewToken('eu', eu);
  await cluster.apiReader.get(Namespace, { name: 'default' });
  say('The token was revoked: the plugin returned a new one, and no request failed.');

  await clusterManager.renewToken('us', us);
  await clusterManager.publish('us', us);
  await clusterManager.setHealthy('us', 'True');
  await eventually(() => statusOf('us')?.phase === 'Engaged');
  await clusterManager.setHealthy('us', 'False');
  await eventually(() => statusOf('us')?.reason.includes('does not report a healthy control plane'));
  say(`${nameOf('us')} joined, and is no longer healthy: it stays engaged for a minute (${statusOf('us')?.phase}).`);

  await clusterManager.withdraw('eu');
  await eventually(() => statusOf('eu')?.phase === 'Disengaged');
  say(`The ClusterProfile of eu was deleted: ${manager.provider?.clusterNames?.().join(', ')} is left.`);
} finally {
  end.abort();
  await stopped;
  await rm(tokens, { recursive: true });
}
