import type { ClusterName, KubernetesObject } from '@mcr/core';
import {
  controllerManagedBy,
  createClient,
  createManager,
  CustomResourceDefinition,
  defineKind,
  Namespace,
  Secret,
  silentLogger,
} from '@mcr/core';
import { eventually } from '@mcr/core/testing';
import type { ControlPlane } from '@mcr/envtest';
import { createControlPlaneFleet } from '@mcr/envtest';
import { createCapiProvider } from '@mcr/provider-capi';
import { definition } from './cluster-definition.ts';

const say = (line: string) => console.log(line);
interface Cluster extends KubernetesObject {
  status?: { initialization?: { controlPlaneInitialized?: boolean } };
}
const Cluster = defineKind<Cluster>({ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster' });
const namespace = 'fleet';

await using fleet = await createControlPlaneFleet({ members: 2 });
const [eu, us] = fleet.members;
if (!eu || !us) throw new Error('expected two members');
await using hub = createClient(fleet.hub.config);
await hub.create(Namespace, { metadata: { name: namespace } });
await hub.create(CustomResourceDefinition, definition);

const manager = await createManager({
  config: fleet.hub.config,
  provider: createCapiProvider({ namespace }),
  logger: silentLogger,
  metrics: { bindAddress: '0' },
});
const seen = new Set<ClusterName>();
await controllerManagedBy(manager)
  .named('greeter')
  .for(Namespace)
  .complete(async ({ clusterName }) => void seen.add(clusterName));
const end = new AbortController();
const stopped = manager.start(end.signal);
const phaseOf = (name: string) => manager.fleet.get(`${namespace}/${name}`)?.phase;

try {
  await declare('eu', eu);
  await eventually(() => phaseOf('eu') === 'Discovered');
  say('A Cluster was created: the cluster is Discovered until its control plane is initialized.');

  await setInitialized('eu', true);
  await eventually(() => seen.has(`${namespace}/eu`));
  say(`Its control plane is initialized: ${namespace}/eu is reconciled.`);

  await declare('us', us);
  await setInitialized('us', true);
  await eventually(() => seen.has(`${namespace}/us`));
  const { kubeconfig } = await us.issueToken();
  const cluster = await manager.getCluster(`${namespace}/us`);
  const before = cluster.config.auth;
  await hub.patch(Secret, { namespace, name: 'us-kubeconfig' }, { stringData: { value: kubeconfig } }, 'merge');
  await eventually(() => cluster.config.auth !== before);
  say(`${namespace}/us joined, and its kubeconfig was replaced: its credentials were rotated.`);

  await hub.delete(Cluster, { namespace, name: 'eu' });
  await eventually(() => phaseOf('eu') === 'Disengaged');
  say(`The Cluster ${namespace}/eu was deleted: ${manager.provider?.clusterNames?.().join(', ')} is left.`);
} finally {
  end.abort();
  await stopped;
}

/** Creates the objects that Cluster API creates for a new cluster. */
async function declare(name: string, { kubeconfig }: ControlPlane): Promise<void> {
  await hub.create(Cluster, { metadata: { namespace, name } });
  await hub.create(Secret, {
    metadata: { namespace, name: `${name}-kubeconfig`, labels: { 'cluster.x-k8s.io/cluster-name': name } },
    stringData: { value: kubeconfig },
  });
}

/** Sets the condition that Cluster API sets once a control plane answers. */
async function setInitialized(name: string, controlPlaneInitialized: boolean): Promise<void> {
  const patch = { status: { initialization: { controlPlaneInitialized } } };
  await hub.status.patch(Cluster, { namespace, name }, patch, 'merge');
}
