import { parseArgs } from 'node:util';
import type { ClusterName, OwnershipState, ReconcileRequest } from '@mcr/core';
import { ConfigMap, controllerManagedBy, createLogger, createManager, loadKubeconfig, shutdownSignal } from '@mcr/core';
import { createKubeconfigProvider } from '@mcr/provider-kubeconfig';

/*
 * One replica of a sharded controller, as it would be deployed. It copies the data key `input` of every ConfigMap in its
 * namespace of the members to `output`, and appends its name to the key `writers`. It ends when its stdin does, so that
 * it never outlives a test.
 */

/** A line on stdout. */
export type ReplicaReport =
  | { readonly type: 'reconciled'; readonly request: ReconcileRequest }
  | { readonly type: 'refused'; readonly error: string }
  | { readonly type: 'ownership'; readonly states: Readonly<Record<ClusterName, OwnershipState>> };

/** Times of the group, in milliseconds: the defaults divided by two to four, so that tests take less time. */
const TIMES = {
  leaseDuration: 6_000,
  margin: 1_500,
  renewInterval: 1_000,
  writeDeadline: 2_000,
  drainTimeout: 3_000,
  warmTimeout: 20_000,
};

const { positionals } = parseArgs({ allowPositionals: true });
const [kubeconfig, namespace, replicaId] = positionals;
if (!kubeconfig || !namespace || !replicaId) {
  console.error('usage: replica-process.ts KUBECONFIG NAMESPACE REPLICA');
  process.exit(2);
}
const report = (line: ReplicaReport) => process.stdout.write(`${JSON.stringify(line)}\n`);
process.stdin.on('end', () => process.exit(1)).resume();

using shutdown = shutdownSignal();
const manager = await createManager({
  config: loadKubeconfig({ path: kubeconfig }),
  provider: createKubeconfigProvider({ namespace, clusterOptions: { cache: { namespaces: [namespace] } } }),
  sharding: { name: 'copier', namespace, replicaId, ...TIMES },
  logger: createLogger({ format: 'json' }),
  metrics: { bindAddress: '0' },
});

await controllerManagedBy(manager)
  .for(ConfigMap)
  .withOptions({ maxConcurrentReconciles: 8 })
  .complete(async (request, { cluster }) => {
    const { client } = await cluster();
    const configMap = await client.find(ConfigMap, request);
    const { input, output, writers = '' } = configMap?.data ?? {};
    if (!configMap || input === undefined || output === input) return;
    try {
      const data = { ...configMap.data, output: input, writers: `${writers}${replicaId} ` };
      await client.update(ConfigMap, { ...configMap, data });
    } catch (error) {
      report({ type: 'refused', error: (error as Error).name });
      throw error;
    }
    report({ type: 'reconciled', request });
  });

const reporting = setInterval(() => {
  const states = manager.fleet.list().map(({ name, ownership }) => [name, ownership?.state ?? 'elsewhere'] as const);
  report({ type: 'ownership', states: Object.fromEntries(states) });
}, 200);
await manager.start(shutdown.signal);
clearInterval(reporting);
process.stdin.destroy();
