import type { ClusterStatus, Request } from '@mcr/core';
import { ConfigMap, controllerManagedBy, createLogger, createManager, loadKubeconfig, shutdownSignal } from '@mcr/core';
import { KubeconfigProvider } from '@mcr/provider-kubeconfig';

/*
 * A controller as somebody would deploy it: one process, given the kubeconfig of its hub and the namespace of the
 * kubeconfig Secrets. It copies the data key `input` of every ConfigMap to `output`, and tells of its doings on stdout.
 */

/** A line on stdout. */
export type Report =
  | { readonly type: 'reconciled'; readonly request: Request }
  | { readonly type: 'fleet'; readonly cluster: ClusterStatus };

const [kubeconfig, namespace] = process.argv.slice(2);
if (!kubeconfig || !namespace) {
  console.error('usage: controller-process.ts KUBECONFIG NAMESPACE');
  process.exit(2);
}
const report = (line: Report) => process.stdout.write(`${JSON.stringify(line)}\n`);

using shutdown = shutdownSignal();
const manager = await createManager({
  config: loadKubeconfig({ path: kubeconfig }),
  provider: new KubeconfigProvider({ namespace }),
  logger: createLogger({ format: 'json' }),
  metrics: { bindAddress: '0' },
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

const telling = (async () => {
  for await (const cluster of manager.fleet.changes(shutdown.signal)) report({ type: 'fleet', cluster });
})();
await manager.start(shutdown.signal);
await telling;
