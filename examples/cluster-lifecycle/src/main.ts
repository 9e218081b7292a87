import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import {
  ConfigMap,
  controllerManagedBy,
  createClient,
  createManager,
  createOrUpdate,
  CustomResourceDefinition,
  Namespace,
  Secret,
  silentLogger,
} from '@mcr/core';
import { eventually } from '@mcr/core/testing';
import { createEmbeddedApiServer, createEmbeddedClusterActuator } from '@mcr/envtest';
import { openScreen } from '@mcr/example-kubeconfig/screen';
import { createCapiProvider, createClusterController, ClusterResource } from '@mcr/provider-capi';
import { parse } from 'yaml';

const namespace = 'fleet';
const key = { namespace, name: 'eu-1' };
const clusterName = `${namespace}/eu-1`;
const welcome = { namespace: 'default', name: 'welcome' };

// The hub, and the infrastructure of the clusters.
const server = await createEmbeddedApiServer();
const hubPlane = await server.createCluster({ name: 'hub' });
await using hub = createClient(hubPlane.config);
const manifest = fileURLToPath(import.meta.resolve('@mcr/provider-capi/manifests/cluster.k8s.io_clusters.yaml'));
await hub.create(CustomResourceDefinition, parse(await readFile(manifest, 'utf8')) as CustomResourceDefinition);
await hub.create(Namespace, { metadata: { name: namespace } });

// One manager creates the clusters, discovers them, and reconciles objects in them.
const provider = createCapiProvider({ apiVersions: ['cluster.k8s.io/v1alpha1'], namespace });
const manager = await createManager({
  config: hubPlane.config,
  provider,
  logger: silentLogger,
  metrics: { bindAddress: '0' },
});
const actuator = createEmbeddedClusterActuator(server);
await createClusterController(manager, actuator, { namespace });
let reconciles = 0;
await controllerManagedBy(manager)
  .named('welcome')
  .for(Namespace)
  .complete(async ({ name, clusterName: memberName }, { cluster }) => {
    if (name !== welcome.namespace) return;
    reconciles += 1;
    const { client } = await cluster();
    await createOrUpdate(client, ConfigMap, welcome, (configMap) => {
      configMap.data = { from: memberName };
    });
  });

const end = new AbortController();
const stopped = manager.start(end.signal);
using screen = openScreen(process.stdout, manager.fleet);
try {
  await step('Apply a Cluster object to the hub: a control plane is created', async () => {
    const configuration = { metadata: key, spec: { providerSpec: { value: { credentials: 0 } } } };
    await hub.apply(ClusterResource, configuration, { fieldManager: 'cluster-lifecycle' });
    await eventually(async () => (await read()).status?.apiEndpoints?.length === 1);
  });
  await step('The kubeconfig is written to a Secret', async () => {
    await eventually(() => hub.get(Secret, { namespace, name: 'eu-1-kubeconfig' }));
  });
  await step('The provider engages the cluster, and the controller reconciles it', async () => {
    await eventually(async () => {
      const controlPlane = await actuator.controlPlane({ metadata: key });
      if (!controlPlane) return false;
      await using member = createClient(controlPlane.config);
      const { data } = await member.get(ConfigMap, welcome);
      return data?.['from'] === clusterName;
    });
  });
  await step('The credentials rotate: no relist, and no reconcile', async () => {
    const cluster = await manager.getCluster(clusterName);
    const [before, done] = [cluster.config.auth, reconciles];
    await hub.patch(ClusterResource, key, { spec: { providerSpec: { value: { credentials: 1 } } } }, 'merge');
    await eventually(() => cluster.config.auth !== before);
    if ((await manager.getCluster(clusterName)) !== cluster) throw new Error('the cluster was engaged again');
    if (reconciles !== done) throw new Error('an object was reconciled again');
  });
  await step(
    'Delete the Cluster object: the cluster is disengaged, and its control plane and Secret are deleted',
    async () => {
      await hub.delete(ClusterResource, key);
      await eventually(async () => (await hub.find(ClusterResource, key)) === undefined);
      await eventually(() => manager.fleet.get(clusterName)?.phase === 'Disengaged');
      await eventually(async () => (await hub.find(Secret, { namespace, name: 'eu-1-kubeconfig' })) === undefined);
      if (await actuator.controlPlane({ metadata: key })) throw new Error('the control plane still exists');
    },
  );
  screen.say('\nThe cluster was created, reconciled, rotated and deleted.');
} finally {
  end.abort();
  await stopped;
  await server.stop();
}

function read() {
  return hub.get(ClusterResource, key);
}

async function step(caption: string, play: () => Promise<void>): Promise<void> {
  screen.caption(caption);
  const started = performance.now();
  const elapsed = () => Math.round(performance.now() - started);
  try {
    await play();
    screen.outcome({ ok: true, ms: elapsed() });
  } catch (error) {
    screen.outcome({ ok: false, ms: elapsed(), error: (error as Error).message });
    throw error;
  }
}
