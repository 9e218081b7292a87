// The informer of @kubernetes/client-node.
import type { KubernetesListObject, KubernetesObject } from '@kubernetes/client-node';
import { CoreV1Api, CustomObjectsApi, KubeConfig, makeInformer } from '@kubernetes/client-node';
import type { Job, Resource, Steps } from './program.ts';
import { Countdown, forEachOf, runRow } from './program.ts';

/** Clusters that are connected at once. */
const CONCURRENCY = 16;

await runRow({ sync, watch: sync, engage });

type List = () => Promise<KubernetesListObject<KubernetesObject>>;

function configOf(server: string, { ca, token }: Job): KubeConfig {
  const config = new KubeConfig();
  const caData = Buffer.from(ca).toString('base64');
  config.loadFromClusterAndUser({ name: 'peer', server, caData, skipTLSVerify: false }, { name: 'peer', token });
  return config;
}

function listOf(config: KubeConfig, resource: Resource | 'secrets' | 'serviceaccounts'): { path: string; list: List } {
  const core = config.makeApiClient(CoreV1Api);
  const custom = config.makeApiClient(CustomObjectsApi);
  const lists: Record<typeof resource, List> = {
    pods: () => core.listPodForAllNamespaces(),
    configmaps: () => core.listConfigMapForAllNamespaces(),
    secrets: () => core.listSecretForAllNamespaces(),
    serviceaccounts: () => core.listServiceAccountForAllNamespaces(),
    widgets: async () =>
      (await custom.listClusterCustomObject({
        group: 'example.com',
        version: 'v1',
        plural: 'widgets',
      })) as KubernetesListObject<KubernetesObject>,
  };
  const path = resource === 'widgets' ? '/apis/example.com/v1/widgets' : `/api/v1/${resource}`;
  return { path, list: lists[resource] };
}

async function sync(job: Job, steps: Steps): Promise<void> {
  steps.report();
  await steps.next();
  const config = configOf(job.urls[0] ?? '', job);
  const { path, list } = listOf(config, job.resource);
  const added = new Countdown(job.objects);
  const updated = new Countdown(job.updates);
  const informer = makeInformer(config, path, list);
  informer.on('add', () => added.tick());
  informer.on('update', () => updated.tick());
  await informer.start();
  await added.done;
  steps.report();
  if (job.updates === 0 || (await steps.next()) === undefined) return;
  await updated.done;
  steps.report();
}

async function engage(job: Job, steps: Steps): Promise<void> {
  steps.report();
  await steps.next();
  const added = new Countdown(job.urls.length * job.objects * 3);
  await forEachOf(job.urls, CONCURRENCY, async (url) => {
    const config = configOf(url, job);
    await forEachOf(['configmaps', 'secrets', 'serviceaccounts'] as const, 3, async (resource) => {
      const { path, list } = listOf(config, resource);
      const informer = makeInformer(config, path, list);
      informer.on('add', () => added.tick());
      await informer.start();
    });
  });
  await added.done;
  steps.report();
}
