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
  await eventually(() => phaseOf('eu') === 'Discovered', { deadline: 15_000 });
  say('A Cluster was created: it is known, and waits for its control plane.');

  await initialised('eu', true);
  await eventually(() => seen.has(`${namespace}/eu`), { deadline: 15_000 });
  say(`Its control plane is initialised: ${namespace}/eu is reconciled.`);

  await declare('us', us);
  await initialised('us', true);
  await eventually(() => seen.has(`${namespace}/us`), { deadline: 15_000 });
  const { kubeconfig } = await us.issueToken();
  const cluster = await manager.getCluster(`${namespace}/us`);
  const before = cluster.config.auth;
  await hub.patch(Secret, { namespace, name: 'us-kubeconfig' }, { stringData: { value: kubeconfig } }, 'merge');
  await eventually(() => cluster.config.auth !== before);
  say(`${namespace}/us joined, and its kubeconfig was renewed: it goes on as the same cluster.`);

  await hub.delete(Cluster, { namespace, name: 'eu' });
  await eventually(() => phaseOf('eu') === 'Disengaged');
  say(`The Cluster ${namespace}/eu was deleted: ${manager.provider?.clusterNames?.().join(', ')} is left.`);
} finally {
  end.abort();
  await stopped;
}

/** What Cluster API does when a cluster is asked for. */
async function declare(name: string, { kubeconfig }: ControlPlane): Promise<void> {
  await hub.create(Cluster, { metadata: { namespace, name } });
  await hub.create(Secret, {
    metadata: { namespace, name: `${name}-kubeconfig`, labels: { 'cluster.x-k8s.io/cluster-name': name } },
    stringData: { value: kubeconfig },
  });
}

/** What Cluster API does when the control plane answers, or does not any more. */
async function initialised(name: string, controlPlaneInitialized: boolean): Promise<void> {
  const patch = { status: { initialization: { controlPlaneInitialized } } };
  await hub.status.patch(Cluster, { namespace, name }, patch, 'merge');
}
