import type { ClusterName } from '@mcr/core';
import {
  ConfigMap,
  controllerManagedBy,
  createClient,
  createCluster,
  createManager,
  InMemoryProvider,
  Namespace,
  Secret,
  silentLogger,
} from '@mcr/core';
import { eventually } from '@mcr/core/testing';
import type { ControlPlane } from '@mcr/envtest';
import { createControlPlaneFleet } from '@mcr/envtest';
import { createKubeconfigProvider } from '@mcr/provider-kubeconfig';
import { createMultiProvider } from '@mcr/provider-multi';

const say = (line: string) => console.log(line);

await using fleet = await createControlPlaneFleet({ members: 3 });
const [eu, us, edge] = fleet.members;
if (!eu || !us || !edge) throw new Error('expected three members');

await using hub = createClient(fleet.hub.config);
for (const name of ['red-team', 'blue-team']) await hub.create(Namespace, { metadata: { name } });
/** Adds a cluster to the fleet, as a team would. */
const register = (namespace: string, name: string, member: ControlPlane) =>
  hub.create(Secret, {
    metadata: { namespace, name, labels: { 'sigs.k8s.io/multicluster-runtime-kubeconfig': 'true' } },
    stringData: { kubeconfig: member.kubeconfig },
  });

const provider = createMultiProvider();
for (const team of ['red', 'blue']) {
  await provider.addProvider(
    team,
    createKubeconfigProvider({ namespace: `${team}-team`, controllerName: `${team}-team` }),
  );
}
const manager = await createManager({
  config: fleet.hub.config,
  provider,
  logger: silentLogger,
  metrics: { bindAddress: '0' },
});
const seen = new Set<ClusterName>();
await controllerManagedBy(manager)
  .named('greeter')
  .for(ConfigMap)
  .complete(async ({ clusterName }) => void seen.add(clusterName));
const end = new AbortController();
const stopped = manager.start(end.signal);

try {
  await register('red-team', 'eu-1', eu);
  await register('blue-team', 'eu-1', us);
  await createIn(eu);
  await createIn(us);
  await eventually(() => seen.has('red#eu-1') && seen.has('blue#eu-1'));
  say(`Both teams have a cluster eu-1; the prefixes tell them apart: ${provider.clusterNames().join(', ')}.`);

  const edgeProvider = new InMemoryProvider();
  edgeProvider.set('shop-7', createCluster(edge.config, { name: 'shop-7' }));
  await createIn(edge);
  await provider.addProvider('edge', edgeProvider);
  await eventually(() => seen.has('edge#shop-7'));
  say(`A third provider joined while the controller ran: ${provider.clusterNames().join(', ')}.`);

  await provider.removeProvider('blue');
  say(`The provider of the blue team and its clusters were removed: ${provider.clusterNames().join(', ')}.`);
} finally {
  end.abort();
  await stopped;
}

async function createIn(member: ControlPlane): Promise<void> {
  await using client = createClient(member.config);
  await client.create(ConfigMap, { metadata: { namespace: 'default', name: 'greeting' } });
}
