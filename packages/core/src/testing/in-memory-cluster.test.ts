import { describe, expect, it } from '@jest/globals';
import { createInProcessServer } from '@mcr/apiserver';
import type { DeepReadonly, Draft } from '@mcr/client';
import { ConfigMap, serverVersion, silentLogger } from '@mcr/client';
import { VirtualClock } from '@mcr/client/testing';
import { controllerManagedBy } from '../controller/builder/builder.ts';
import type { ReconcileFunction } from '../controller/reconcile/reconciler.ts';
import type { ReconcileRequest } from '../controller/reconcile/request.ts';
import { WriteFence } from '../fleet/fence/write-fence.ts';
import { NotOwnerError } from '../fleet/multicluster/not-owner-error.ts';
import { createManager } from '../manager/create-manager.ts';
import { setControllerReference } from '../objects/owner/owner-reference.ts';
import { InMemoryProvider } from '../provider/in-memory-provider.ts';
import { eventually } from './eventually.ts';
import { InMemoryCluster } from './in-memory-cluster.ts';

const key = { namespace: 'shop', name: 'cart' };
const request: ReconcileRequest = { clusterName: 'eu-1', ...key };

async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe('InMemoryCluster', () => {
  it('CL-4: lists by its indexes, and refuses another function for an index', async () => {
    const cluster = new InMemoryCluster();
    const byColour = ({ data }: DeepReadonly<ConfigMap>) => [data?.['colour'] ?? ''];
    await cluster.fieldIndexer.indexField(ConfigMap, 'colour', byColour);
    await cluster.cache.indexField(ConfigMap, 'colour', byColour);
    await cluster.client.create(ConfigMap, { metadata: key, data: { colour: 'red' } });
    const list = async (value: string) =>
      (await cluster.client.list(ConfigMap, { namespace: 'shop', index: { name: 'colour', value } })).items;
    expect(await list('red')).toHaveLength(1);
    expect(await list('blue')).toEqual([]);
    await expect(cluster.fieldIndexer.indexField(ConfigMap, 'colour', () => [])).rejects.toThrow('another function');
  });

  it('CL-4: indexes a path like a cache', async () => {
    const cluster = new InMemoryCluster();
    await cluster.fieldIndexer.indexField(ConfigMap, 'colour', ['data', 'the.colour']);
    await cluster.cache.indexField(ConfigMap, 'namespace', '.metadata.namespace');
    await cluster.cache.indexField(ConfigMap, 'finalizer', '.metadata.finalizers');
    await cluster.cache.indexField(ConfigMap, 'inherited', '.data.constructor.name');
    const metadata = { ...key, finalizers: ['example.com/a', 'example.com/b'] };
    await cluster.client.create(ConfigMap, { metadata, data: { 'the.colour': 'red' } });
    const count = async (name: string, value: string) =>
      (await cluster.client.list(ConfigMap, { index: { name, value } })).items.length;
    expect(await count('colour', 'red')).toBe(1);
    expect(await count('colour', '')).toBe(0);
    expect(await count('namespace', 'shop')).toBe(1);
    expect(await count('finalizer', 'example.com/b')).toBe(1);
    expect(await count('inherited', 'Object')).toBe(0);
    await expect(cluster.fieldIndexer.indexField(ConfigMap, 'colour', '.data.color')).rejects.toThrow(
      'another function or path',
    );
    await expect(cluster.fieldIndexer.indexField(ConfigMap, 'bad', '.data[0]')).rejects.toThrow('a path with "["');
  });

  it('provides everything to call a reconciler in a test', async () => {
    const stamp: ReconcileFunction = async (of, { cluster, clusterName }) => {
      const target = await cluster();
      const { client } = target;
      const configMap = await client.get(ConfigMap, of);
      await client.patch(ConfigMap, of, { data: { cluster: clusterName } }, 'merge');
      target.eventRecorder('stamper').event(configMap, { type: 'Normal', reason: 'Stamped', note: clusterName });
    };
    const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: key };
    const cluster = new InMemoryCluster({ name: 'eu-1', objects: [configMap] });
    await stamp(request, cluster.context());
    expect((await cluster.cache.get(ConfigMap, key)).data).toEqual({ cluster: 'eu-1' });
    expect(cluster.events).toMatchObject([{ component: 'stamper', reason: 'Stamped', regarding: { metadata: key } }]);
  });

  it('SH-4: refuses writes while its fence is closed', async () => {
    const cluster = new InMemoryCluster({ name: 'eu-1' });
    const state = { isOpen: true };
    const fence = new WriteFence({ clusterName: 'eu-1', clock: new VirtualClock(), mayWrite: () => state.isOpen });
    cluster.setFence(() => fence);
    const { client } = cluster;
    await client.create(ConfigMap, { metadata: key, data: { color: 'red' } });
    state.isOpen = false;
    const writes = [
      client.create(ConfigMap, { metadata: { ...key, name: 'other' } }),
      client.update(ConfigMap, { metadata: key }),
      client.patch(ConfigMap, key, { data: { color: 'blue' } }, 'merge'),
      client.status.patch(ConfigMap, key, { status: {} }, 'merge'),
      client.delete(ConfigMap, key),
      client.deleteCollection(ConfigMap, { namespace: 'shop' }),
    ];
    for (const write of writes) expect(await failureOf(write)).toBeInstanceOf(NotOwnerError);
    expect((await client.get(ConfigMap, key)).data).toEqual({ color: 'red' });
  });

  it('is ready, runs once until the abort, keeps its objects, and takes labels', async () => {
    const cluster = new InMemoryCluster();
    const end = new AbortController();
    const running = cluster.run(end.signal);
    await Promise.all([cluster.ready(), cluster.ping(), cluster.rotate()]);
    let told = 0;
    const forget = cluster.onDescribed(() => (told += 1));
    cluster.describe({ labels: { env: 'prod' }, properties: {} });
    forget();
    cluster.describe({ labels: {}, properties: {} });
    expect(told).toBe(1);
    await cluster.client.create(ConfigMap, { metadata: key });
    end.abort();
    await running;
    expect(await cluster.client.find(ConfigMap, key)).toBeDefined();
    await expect(cluster.run(end.signal)).rejects.toThrow('is already running or has stopped');
  });

  it('tells a second manager that each manager needs its own cluster', async () => {
    const cluster = new InMemoryCluster({ name: 'eu-1' });
    const end = new AbortController();
    const running = cluster.run(end.signal);
    await expect(cluster.run(end.signal)).rejects.toThrow(
      'InMemoryCluster: cluster "eu-1" is already running or has stopped: ' +
        'a cluster runs in one manager, create another InMemoryCluster for each manager',
    );
    end.abort();
    await running;
  });

  it('starts with the objects of another cluster, for tests of restarts', async () => {
    const first = new InMemoryCluster();
    const { metadata } = await first.client.create(ConfigMap, { metadata: key, data: { colour: 'red' } });
    const second = new InMemoryCluster({ objects: (await first.client.list(ConfigMap)).items });
    expect(await second.client.get(ConfigMap, key)).toMatchObject({
      metadata: { uid: metadata.uid, creationTimestamp: metadata.creationTimestamp },
      data: { colour: 'red' },
    });
  });

  it('has the version of its API server, and its kinds', async () => {
    const cluster = new InMemoryCluster();
    const { restMapper } = cluster;
    expect(await restMapper.resolve({ apiVersion: 'apps/v1', kind: 'Deployment' })).toMatchObject({
      plural: 'deployments',
      scope: 'Namespaced',
      path: '/apis/apps/v1',
    });
    expect((await restMapper.resources()).map(({ kind }) => kind)).toContain('ConfigMap');
    const { transport } = createInProcessServer();
    expect(cluster.info.version).toBe((await serverVersion(transport)).gitVersion);
  });

  it('S-14: refuses unknown options', () => {
    expect(() => new InMemoryCluster({ object: [] } as object)).toThrow('InMemoryCluster: unknown option "object"');
  });

  it('S-14: tells a manager that it has no address', async () => {
    const { config } = new InMemoryCluster();
    await expect(createManager({ config, metrics: { bindAddress: '0' } })).rejects.toThrow(
      'config: an InMemoryCluster has no address to connect to: pass the cluster itself to an InMemoryProvider',
    );
  });

  it('refuses an owner from another cluster', async () => {
    const [hub, member] = [new InMemoryCluster(), new InMemoryCluster({ name: 'eu-1' })];
    const owner = await hub.client.create(ConfigMap, { metadata: key });
    const child: Draft<ConfigMap> = { metadata: { ...key, name: 'child' } };
    setControllerReference(owner, child);
    await expect(member.client.create(ConfigMap, child)).rejects.toThrow('cannot own shop/child of cluster "eu-1"');
    expect((await hub.client.create(ConfigMap, child)).metadata.ownerReferences).toHaveLength(1);
  });

  it('K-14: collects the dependents of a deleted owner, and keeps those of an owner that never existed', async () => {
    const { client } = new InMemoryCluster();
    const owner = await client.create(ConfigMap, { metadata: key });
    const child: Draft<ConfigMap> = { metadata: { ...key, name: 'child' } };
    setControllerReference(owner, child);
    await client.create(ConfigMap, child);
    await client.delete(ConfigMap, key, { propagationPolicy: 'Foreground' });
    await eventually(async () => (await client.list(ConfigMap)).items.length === 0);
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'gone', uid: 'never-existed' }];
    await client.create(ConfigMap, { metadata: { ...key, ownerReferences } });
    await new Promise(setImmediate);
    expect(await client.find(ConfigMap, key)).toBeDefined();
  });

  it('runs controllers in a manager', async () => {
    const members = ['eu-1', 'us-1'].map((name) => new InMemoryCluster({ name }));
    const provider = new InMemoryProvider<InMemoryCluster>();
    const manager = await createManager({
      provider,
      config: 'none',
      logger: silentLogger,
      metrics: { bindAddress: '0' },
    });
    await controllerManagedBy(manager)
      .for(ConfigMap)
      .complete(async (of, { cluster, clusterName }) => {
        const { client } = await cluster();
        if (await client.find(ConfigMap, of)) {
          await client.patch(ConfigMap, of, { metadata: { labels: { seen: clusterName } } }, 'merge');
        }
      });
    const end = new AbortController();
    const started = manager.start(end.signal);
    try {
      for (const member of members) {
        provider.set(member.name, member);
        await member.client.create(ConfigMap, { metadata: key });
      }
      for (const { client, name } of members) {
        await eventually(async () => (await client.get(ConfigMap, key)).metadata.labels?.['seen'] === name);
      }
    } finally {
      end.abort();
      await started;
    }
  });
});
