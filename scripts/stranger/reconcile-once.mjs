import process from 'node:process';

/** Runs a manager with metrics and the default logger until it has reconciled the ConfigMap `settings` of a member. */
export async function reconcileOnce({ ConfigMap, controllerManagedBy, createManager, createKubeconfigProvider }) {
  const stop = new AbortController();
  const late = setTimeout(() => {
    console.error('no ConfigMap was reconciled within 30 s');
    process.exitCode = 1;
    stop.abort();
  }, 30_000);
  const manager = await createManager({
    provider: createKubeconfigProvider({ namespace: 'fleet' }),
    metrics: { bindAddress: '127.0.0.1:0' },
  });
  await controllerManagedBy(manager)
    .for(ConfigMap)
    .complete(async (request, { cluster }) => {
      const { client } = await cluster();
      const configMap = await client.find(ConfigMap, request);
      if (configMap?.metadata.name !== 'settings') return;
      console.log(
        `reconciled ${configMap.metadata.name} of ${request.clusterName} on Node.js ${process.versions.node}`,
      );
      stop.abort();
    });
  await manager.start(stop.signal);
  clearTimeout(late);
}
