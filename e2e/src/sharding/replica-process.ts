import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import type { ClusterName, OwnershipStatus, ReconcileRequest } from '@mcr/core';
import { ConfigMap, controllerManagedBy, createLogger, createManager, loadKubeconfig, shutdownSignal } from '@mcr/core';
import { createKubeconfigProvider } from '@mcr/provider-kubeconfig';

/*
 * One replica of a sharded controller, as it would be deployed. It copies the data key `input` of every ConfigMap in its
 * namespace of the members to `output`, and appends `<replica>.<period>:<input>` to the key `writers`, where the period
 * counts how often this replica became the owner of the cluster. If the key `gate` names the replica, it waits for a line
 * on stdin between its read and its write. It ends when its stdin does, so that it never outlives a test.
 */

/** A line on stdout. */
export type ReplicaReport =
  | { readonly type: 'reconciled'; readonly request: ReconcileRequest }
  | { readonly type: 'at gate'; readonly request: ReconcileRequest }
  | { readonly type: 'refused'; readonly request: ReconcileRequest; readonly error: string }
  /** `at` is in milliseconds since the Unix epoch. */
  | {
      readonly type: 'ownership';
      readonly states: Readonly<Record<ClusterName, OwnershipStatus['state']>>;
      readonly at: number;
    };

/** Times of the group, in milliseconds: shorter than the defaults, so that tests take less time. */
const TIMES = {
  leaseDuration: 8_000,
  margin: 2_500,
  renewInterval: 1_500,
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
const gate = Promise.withResolvers<void>();
createInterface({ input: process.stdin })
  .on('line', () => gate.resolve())
  .on('close', () => process.exit(1));

using shutdown = shutdownSignal();
const manager = await createManager({
  config: loadKubeconfig({ path: kubeconfig }),
  provider: createKubeconfigProvider({ namespace, clusterOptions: { cache: { namespaces: [namespace] } } }),
  sharding: { name: 'copier', namespace, replicaId, ...TIMES },
  logger: createLogger({ format: 'json' }),
  metrics: { bindAddress: '0' },
});

/** Clusters that this replica owns or drains, and how often it has become the owner of each cluster. */
const [owned, periods] = [new Set<ClusterName>(), new Map<ClusterName, number>()];
/** Counts a new period if this replica has become the owner of a cluster. */
function noteOwnership(name: ClusterName, state: OwnershipStatus['state'] | undefined): void {
  if (state !== 'active' && state !== 'draining') owned.delete(name);
  else if (!owned.has(name)) {
    owned.add(name);
    periods.set(name, (periods.get(name) ?? 0) + 1);
  }
}

await controllerManagedBy(manager)
  .for(ConfigMap)
  .withOptions({ maxConcurrentReconciles: 8 })
  .complete(async (request, { cluster }) => {
    const { client } = await cluster();
    const configMap = await client.find(ConfigMap, request);
    const { input, output, writers = '', gate: gated } = configMap?.data ?? {};
    if (!configMap || input === undefined || output === input) return;
    noteOwnership(request.clusterName, manager.fleet.get(request.clusterName)?.ownership?.state);
    const writer = `${replicaId}.${periods.get(request.clusterName) ?? 0}`;
    if (gated === replicaId) {
      report({ type: 'at gate', request });
      await gate.promise;
    }
    try {
      const data = { ...configMap.data, output: input, writers: `${writers}${writer}:${input.replaceAll(' ', '-')} ` };
      await client.update(ConfigMap, { ...configMap, data });
    } catch (error) {
      report({ type: 'refused', request, error: (error as Error).name });
      throw error;
    }
    report({ type: 'reconciled', request });
  });

const reporting = setInterval(() => {
  const states = manager.fleet.list().map(({ name, ownership }) => [name, ownership?.state ?? 'elsewhere'] as const);
  for (const [name, state] of states) noteOwnership(name, state);
  report({ type: 'ownership', states: Object.fromEntries(states), at: performance.timeOrigin + performance.now() });
}, 200);
await manager.start(shutdown.signal);
clearInterval(reporting);
process.stdin.removeAllListeners().destroy();
