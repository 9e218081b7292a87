// This project, in every row.
import type { ClusterConfig, DeepReadonly, Kind, KubernetesObject, Manager, ReconcileRequest } from '@mcr/core';
import {
  ConfigMap,
  controllerManagedBy,
  createCluster,
  createManager,
  defineKind,
  enqueueRequestForObject,
  InMemoryProvider,
  Pod,
  Secret,
  ServiceAccount,
  silentLogger,
} from '@mcr/core';
import { clusterOf, reconcileAll } from '../../src/no-op-reconciles.ts';
import { requestsOf, throughQueue } from '../../src/workqueue-throughput.ts';
import type { Job, Steps } from './program.ts';
import { Countdown, LISTED, percentiles, repeat, runRow, wallClock } from './program.ts';

const WORKERS = 16;
const RECONCILED_CLUSTERS = 100;
const Widget = defineKind({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  plural: 'widgets',
  scope: 'Namespaced',
});

await runRow({ sync, watch: sync, engage, latency, rotate, queue, reconciles });

function configOf(server: string, { ca, token }: Job): ClusterConfig {
  return { server, ...(ca !== '' && { tls: { caData: ca } }), auth: { type: 'token', token } };
}

async function sync(job: Job, steps: Steps): Promise<void> {
  steps.report();
  await steps.next();
  const kinds: Record<Job['resource'], Kind<KubernetesObject>> = { pods: Pod, configmaps: ConfigMap, widgets: Widget };
  const cluster = createCluster(configOf(job.urls[0] ?? '', job));
  const added = new Countdown(job.objects);
  const updated = new Countdown(job.updates);
  const informer = await cluster.cache.informer(kinds[job.resource]);
  informer.addHandler({ onAdd: () => added.tick(), onUpdate: () => updated.tick() });
  void cluster.run(new AbortController().signal);
  await added.done;
  steps.report();
  if (job.updates === 0 || (await steps.next()) === undefined) return;
  await updated.done;
  steps.report();
}

/** Starts a manager whose provider has the clusters of the job. */
async function newManager(job: Job): Promise<{ manager: Manager; provider: InMemoryProvider }> {
  const provider = new InMemoryProvider();
  const manager = await createManager({
    config: configOf(job.hub, job),
    provider,
    logger: silentLogger,
    metrics: { bindAddress: '0' },
  });
  return { manager, provider };
}

function setClusters(provider: InMemoryProvider, job: Job): void {
  for (const [index, url] of job.urls.entries()) {
    const name = `cluster-${index}`;
    provider.set(name, createCluster(configOf(url, job), { name }));
  }
}

/** Ends when each object of three kinds has been reconciled once; objects of different kinds have different names. */
async function engage(job: Job, steps: Steps): Promise<void> {
  const { manager, provider } = await newManager(job);
  const reconciled = new Countdown(job.urls.length * job.objects * 3);
  const builder = controllerManagedBy(manager).named('three-kinds').withOptions({ maxConcurrentReconciles: WORKERS });
  for (const kind of [ConfigMap, Secret, ServiceAccount]) builder.watches(kind, enqueueRequestForObject());
  await builder.complete(async () => reconciled.tick());
  steps.report();
  await steps.next();
  setClusters(provider, job);
  void manager.start(new AbortController().signal);
  await reconciled.done;
  steps.report();
}

/** Calls `onReconcile` with each ConfigMap as the cache has it when its reconcile starts. */
async function reconcileConfigMaps(
  manager: Manager,
  onReconcile: (request: ReconcileRequest, object: DeepReadonly<ConfigMap>) => void,
): Promise<void> {
  await controllerManagedBy(manager)
    .for(ConfigMap)
    .withOptions({ maxConcurrentReconciles: WORKERS })
    .complete(async (request, { cluster }) => {
      const { cache } = await cluster();
      const { store } = await cache.informer(ConfigMap);
      const object = store.get(request);
      if (object) onReconcile(request, object);
    });
}

async function latency(job: Job, steps: Steps): Promise<void> {
  const { manager, provider } = await newManager(job);
  const initial = new Countdown(job.urls.length * job.objects);
  const changes = new Countdown(job.urls.length * job.updates);
  const latencies: number[] = [];
  await reconcileConfigMaps(manager, (_request, { data }) => {
    const started = wallClock();
    const at = data?.['at'];
    if (at === undefined) {
      initial.tick();
    } else {
      latencies.push(started - Number(at) / 1000);
      changes.tick();
    }
  });
  steps.report();
  await steps.next();
  setClusters(provider, job);
  void manager.start(new AbortController().signal);
  await initial.done;
  steps.report();
  await steps.next();
  await changes.done;
  steps.report(percentiles(latencies));
}

/** Replaces the token of every cluster, and ends when each cluster has reconciled a change that came afterwards. */
async function rotate(job: Job, steps: Steps): Promise<void> {
  const { manager, provider } = await newManager(job);
  const initial = new Countdown(job.urls.length * job.objects);
  const changed = new Set<string>();
  const current = Promise.withResolvers<void>();
  let reconciled = 0;
  await reconcileConfigMaps(manager, ({ clusterName }, { metadata }) => {
    reconciled += 1;
    initial.tick();
    if (Number(metadata.resourceVersion) <= LISTED) return;
    changed.add(clusterName);
    if (changed.size === job.urls.length) current.resolve();
  });
  steps.report();
  await steps.next();
  setClusters(provider, job);
  void manager.start(new AbortController().signal);
  await initial.done;
  steps.report();
  const token = (await steps.next()) ?? '';
  setClusters(provider, { ...job, token });
  steps.report();
  await steps.next();
  await current.promise;
  steps.report({ reconciles: reconciled - job.urls.length * job.objects - job.urls.length });
}

async function queue(job: Job, steps: Steps): Promise<void> {
  const requests = requestsOf(job.objects);
  await repeat(steps, () => throughQueue(requests));
}

/** Events of objects that are cached already, from a source through the queue to 16 workers. */
async function reconciles(job: Job, steps: Steps): Promise<void> {
  const names = Array.from({ length: RECONCILED_CLUSTERS }, (_, index) => `cluster-${index}`);
  const fleet = new Map(names.map((name) => [name, clusterOf(job.objects / RECONCILED_CLUSTERS)]));
  await repeat(steps, async () => {
    const { manager } = await newManager(job);
    await reconcileAll(manager, fleet, job.objects);
  });
}
