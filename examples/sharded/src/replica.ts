import process from 'node:process';
import { ConfigMap, controllerManagedBy, createManager, loadKubeconfig, shutdownSignal, silentLogger } from '@mcr/core';
import { createKubeconfigProvider } from '@mcr/provider-kubeconfig';

/** A report to the program that started the replica: how the replica serves each member. */
export type Report = Readonly<Record<string, string>>;

const [kubeconfig = '', replicaId = ''] = process.argv.slice(2);

using shutdown = shutdownSignal();
// A replica never outlives the program that started it.
process.once('disconnect', () => process.exit(1));

const manager = await createManager({
  config: loadKubeconfig({ path: kubeconfig }),
  provider: createKubeconfigProvider({ namespace: 'fleet' }),
  sharding: { name: 'greeter', namespace: 'fleet', replicaId },
  logger: silentLogger,
  metrics: { bindAddress: '0' },
});

await controllerManagedBy(manager)
  .for(ConfigMap, { namespaces: ['default'] })
  .complete(async (request, { cluster }) => {
    const { client } = await cluster();
    const configMap = await client.find(ConfigMap, request);
    if (!configMap || configMap.data?.['reconciled-by'] === replicaId) return;
    await client.patch(ConfigMap, request, { data: { 'reconciled-by': replicaId } }, 'merge');
  });

const reporting = setInterval(() => {
  const states = manager.fleet.list().map(({ name, ownership }) => [name, ownership?.state ?? 'unknown']);
  if (process.connected) process.send?.(Object.fromEntries(states) satisfies Report);
}, 250);

await manager.start(shutdown.signal);
clearInterval(reporting);
process.disconnect();
