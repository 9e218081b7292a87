import { parseArgs } from 'node:util';
import type { ClusterStatus, ReconcileRequest } from '@mcr/core';
import { ConfigMap, controllerManagedBy, createLogger, createManager, loadKubeconfig, shutdownSignal } from '@mcr/core';
import { createKubeconfigProvider } from '@mcr/provider-kubeconfig';

/*
 * A controller as it would be deployed: one process, given the kubeconfig of its hub and the namespace of the kubeconfig
 * Secrets. It copies the data key `input` of every ConfigMap in that namespace of the members to `output`, and reports
 * what it does on stdout. It ends when its stdin does, so that it never outlives a test.
 */

/** A line on stdout. */
export type Report =
  | { readonly type: 'reconciled'; readonly request: ReconcileRequest }
  | { readonly type: 'fleet'; readonly cluster: ClusterStatus };

const { values, positionals } = parseArgs({ allowPositionals: true, options: { lease: { type: 'string' } } });
const [kubeconfig, namespace] = positionals;
if (!kubeconfig || !namespace) {
  console.error('usage: controller-process.ts KUBECONFIG NAMESPACE [--lease NAME]');
  process.exit(2);
}
const report = (line: Report) => process.stdout.write(`${JSON.stringify(line)}\n`);
process.stdin.on('end', () => process.exit(1)).resume();

using shutdown = shutdownSignal();
const manager = await createManager({
  config: loadKubeconfig({ path: kubeconfig }),
  provider: createKubeconfigProvider({ namespace, clusterOptions: { cache: { namespaces: [namespace] } } }),
  logger: createLogger({ format: 'json' }),
  metrics: { bindAddress: '0' },
  ...(values.lease !== undefined && {
    leaderElection: { id: values.lease, namespace, leaseDuration: 10_000, renewDeadline: 8_000, retryPeriod: 500 },
  }),
});

await controllerManagedBy(manager)
  .for(ConfigMap)
  .complete(async (request, { cluster }) => {
    const { client } = await cluster();
    const configMap = await client.find(ConfigMap, request);
    const input = configMap?.data?.['input'];
    if (input !== undefined && configMap?.data?.['output'] !== input) {
      await client.patch(ConfigMap, request, { data: { output: input } }, 'merge');
    }
    report({ type: 'reconciled', request });
  });

const reporting = (async () => {
  for await (const cluster of manager.fleet.changes(shutdown.signal)) report({ type: 'fleet', cluster });
})();
await manager.start(shutdown.signal);
await reporting;
process.stdin.destroy();
