import type { ClusterName } from '@mcr/core';
import { ConfigMap, controllerManagedBy, createManager, createOrUpdate, Namespace, silentLogger } from '@mcr/core';
import { eventually } from '@mcr/core/testing';
import { createKindStandIn, createControlPlane } from '@mcr/envtest';
import { createKindBinary, createKindProvider } from '@mcr/provider-kind';

/** In milliseconds. A real Kind cluster takes a minute, and longer if its image must be pulled. */
const deadline = 300_000;
const say = (line: string) => console.log(line);

await using hub = await createControlPlane({ backend: 'embedded', name: 'hub' });
/** Stand-in for machines without a container engine. */
await using standIn = process.env['MCR_BACKEND'] === 'kind' ? undefined : await createKindStandIn();
if (standIn) process.env['PATH'] = standIn.path;
say(standIn ? 'This run uses a stand-in for Kind. Set MCR_BACKEND=kind to use Kind.' : 'This run uses Kind.');

const manager = await createManager({
  config: hub.config,
  provider: createKindProvider({ prefix: 'mcr-example-' }),
  logger: silentLogger,
  metrics: { bindAddress: '0' },
});
// Keeps a ConfigMap with the cluster's name in every cluster.
await controllerManagedBy(manager)
  .named('who-am-i')
  .for(Namespace)
  .complete(async ({ clusterName, name }, { cluster }) => {
    if (name !== 'default') return;
    const { client } = await cluster();
    await createOrUpdate(client, ConfigMap, { namespace: 'default', name: 'who-am-i' }, (configMap) => {
      configMap.data = { name: clusterName };
    });
  });
/** Resolves once the cluster has that ConfigMap. */
const known = (name: ClusterName) =>
  eventually(
    async () => {
      const { apiReader } = await manager.getCluster(name);
      const { data } = await apiReader.get(ConfigMap, { namespace: 'default', name: 'who-am-i' });
      return data?.['name'] === name;
    },
    { deadline },
  );
const gone = (name: ClusterName) => eventually(() => manager.fleet.get(name)?.phase === 'Disengaged', { deadline });

const end = new AbortController();
const stopped = manager.start(end.signal);
const kind = createKindBinary();
const signal = AbortSignal.timeout(2 * deadline);
const [eu, us] = ['mcr-example-eu', 'mcr-example-us'] as const;
try {
  await kind.create(eu, { signal });
  await known(eu);
  say(`kind create cluster --name ${eu}: the cluster was engaged and reconciled.`);

  await kind.create(us, { signal });
  await known(us);
  say(`kind create cluster --name ${us}: this one, too.`);

  await kind.delete(eu, signal);
  await gone(eu);
  say(`kind delete cluster --name ${eu}: the cluster left.`);

  await kind.create(eu, { signal });
  await known(eu);
  say(`kind create cluster --name ${eu}: another cluster has the name now, and is engaged.`);
} finally {
  for (const name of [eu, us]) await kind.delete(name, AbortSignal.timeout(deadline));
  await Promise.all([gone(eu), gone(us)]);
  end.abort();
  await stopped;
}
say('Both clusters were deleted: no cluster is left.');
