import type { InformerHandler } from '@mcr/client';
import { decodedObject } from '@mcr/client';
import type { Cluster, KubernetesObject, ClusterName, ConfigMap as ConfigMapObject, Manager } from '@mcr/core';
import {
  ConfigMap,
  createManager,
  enqueueRequestForObject,
  InMemoryProvider,
  kindSource,
  LOCAL_CLUSTER,
  createController,
  silentLogger,
} from '@mcr/core';
import type { Scenario } from './scenario.ts';
import { medianTime } from './scenario.ts';

const WORKERS = 16;
const CLUSTERS = 100;

/** P-4: reconciles without work per second, from the event to the end of the reconcile. */
export const noOpReconciles: Scenario = {
  id: 'P-4',
  title: 'no-op reconciles: source → queue → 16 workers, 100 clusters',
  unit: 'reconciles/s',
  goal: '≥ 300,000/s',
  isMet: ({ value }) => value >= 300_000,

  async measure(size) {
    const count = size === 'full' ? 100_000 : 1_000;
    const runs = size === 'full' ? 9 : 1;
    const perSecond = (time: number) => (count * 1000) / time;
    const options = { config: { server: 'https://127.0.0.1:1' }, logger: silentLogger, metrics: { bindAddress: '0' } };

    const members = Array.from({ length: CLUSTERS }, (_, index) => `cluster-${index}`);
    const fleet = new Map(members.map((name) => [name, clusterOf(count / CLUSTERS)]));
    const ofFleet = await medianTime(runs, async () => {
      await reconcileAll(await createManager({ ...options, provider: new InMemoryProvider() }), fleet, count);
    });
    const alone = new Map([[LOCAL_CLUSTER, clusterOf(count)]]);
    const ofOne = await medianTime(runs, async () => reconcileAll(await createManager(options), alone, count));
    const floor = await medianTime(runs, () => awaitEach(count));
    return {
      value: perSecond(ofFleet),
      floor: perSecond(floor),
      details: { oneCluster: perSecond(ofOne) },
    };
  },
};

export async function reconcileAll(
  manager: Manager,
  clusters: ReadonlyMap<ClusterName, Cluster>,
  count: number,
): Promise<void> {
  const stop = new AbortController();
  const all = Promise.withResolvers<void>();
  let left = count;
  const controller = createController('no-op', manager, {
    maxConcurrentReconciles: WORKERS,
    reconciler: async () => {
      left -= 1;
      if (left === 0) all.resolve();
    },
  });
  await controller.watch(kindSource(ConfigMap, enqueueRequestForObject()));
  const running = controller.run(stop.signal);
  for (const [name, cluster] of clusters) await controller.engage(name, cluster, stop.signal);
  await all.promise;
  stop.abort();
  await running;
}

/** Creates a cluster with `count` objects, all of them in its cache. */
export function clusterOf(count: number): Cluster {
  const objects = Array.from({ length: count }, (_, index): KubernetesObject => {
    const metadata = {
      namespace: 'default',
      name: `object-${index}`,
      uid: `${index}`,
      resourceVersion: '1',
      creationTimestamp: '',
    };
    return { apiVersion: 'v1', kind: 'ConfigMap', metadata };
  });
  const cache = {
    subscribe: async (_kind: unknown, handler: InformerHandler<ConfigMapObject>) => {
      for (const object of objects) handler.onAdd?.({ ...decodedObject(object), initial: true });
      return { synced: Promise.resolve(), remove: () => undefined, informer: { store: { size: count } } };
    },
  };
  // The controller uses only these members.
  return { cache, onDescribed: () => () => undefined } as unknown as Cluster;
}

export async function awaitEach(count: number): Promise<void> {
  let done = 0;
  const reconcile = async () => {
    done += 1;
  };
  while (done < count) await reconcile();
}
