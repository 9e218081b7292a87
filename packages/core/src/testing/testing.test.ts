import { getEventListeners } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import type { DeepReadonly } from '@mcr/client';
import {
  ConfigMap,
  Deployment,
  dryRunClient,
  isAlreadyExists,
  isConflict,
  isNotFound,
  partialMetadata,
  draftOf,
  fnv1a64,
} from '@mcr/client';
import { VirtualClock } from '@mcr/client/testing';
import { WriteFence } from '../fleet/fence/write-fence.ts';
import { NotOwnerError } from '../fleet/multicluster/not-owner-error.ts';
import { addFinalizer } from '../objects/finalizer/finalizer.ts';
import { createOrPatch } from '../objects/mutation/create-or-patch.ts';
import type { ReconcileFunction } from '../controller/reconcile/reconciler.ts';
import type { ReconcileRequest } from '../controller/reconcile/request.ts';
import { eventually } from './eventually.ts';
import { InMemoryClient } from './in-memory-client.ts';
import { InMemoryCluster } from './in-memory-cluster.ts';
import { RequestRecorder } from './request-recorder.ts';

const key = { namespace: 'shop', name: 'cart' };
const request: ReconcileRequest = { clusterName: 'eu-1', ...key };

async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe('eventually', () => {
  it('resolves with the result of the condition once it is not false, and polls by the clock', async () => {
    const clock = new VirtualClock();
    let looks = 0;
    const value = eventually(() => ++looks === 4 && 'there', { clock, interval: 100 });
    await clock.advance(200);
    expect(looks).toBe(3);
    await clock.advance(100);
    expect(await value).toBe('there');
    expect(clock.pendingTimers).toBe(0);
  });

  it('polls a condition that throws, and reports its error after the deadline', async () => {
    const clock = new VirtualClock();
    const failed = failureOf(eventually(() => expect(1).toBe(2), { clock, deadline: 1_000 }));
    await clock.advance(1_000);
    const error = (await failed) as Error;
    expect(error.message).toMatch(/^it did not hold within 1000 ms: .*expect/s);
    expect((error.cause as Error).message).toContain('toBe');
    expect(clock.pendingTimers).toBe(0);
  });

  it('does not wait for a condition that hangs, or after an abort', async () => {
    const clock = new VirtualClock();
    const hanging = failureOf(eventually(() => new Promise<void>(() => undefined), { clock, deadline: 10 }));
    await clock.advance(20);
    expect((await hanging) as Error).toMatchObject({ message: 'it did not hold within 10 ms: the condition is false' });

    const end = new AbortController();
    const ended = failureOf(eventually(() => false, { clock, signal: end.signal }));
    end.abort(new Error('enough'));
    await clock.advance(10);
    expect(await ended).toEqual(new Error('enough'));
    expect(clock.pendingTimers).toBe(0);
    expect(getEventListeners(end.signal, 'abort')).toEqual([]);
  });

  it('works with the system clock', async () => {
    const started = performance.now();
    expect(await eventually(() => performance.now() - started > 20 && 'late', { interval: 1 })).toBe('late');
  });
});

describe('RequestRecorder', () => {
  const context = new InMemoryCluster().context();

  it('records successful and failed requests, and finds past and future ones', async () => {
    const recorder = new RequestRecorder({
      reconciler: async ({ name }) => {
        if (name === 'bad') throw new Error('bad');
        return { requeueAfter: 5 };
      },
    });
    const coming = recorder.waitFor({ name: 'bad' });
    expect(await recorder.reconcile(request, context)).toEqual({ requeueAfter: 5 });
    await expect(recorder.reconcile({ ...request, name: 'bad' }, context)).rejects.toThrow('bad');
    expect((await coming).clusterName).toBe('eu-1');
    expect(await recorder.waitFor({ clusterName: 'eu-1', name: 'cart' })).toEqual(request);
    expect(recorder.requests).toHaveLength(2);
    recorder.clear();
    expect(recorder.requests).toEqual([]);
  });

  it('lists the recorded requests after the deadline', async () => {
    const clock = new VirtualClock();
    const recorder = new RequestRecorder({ clock });
    await recorder.reconcile(request, context);
    const failed = failureOf(recorder.waitFor({ clusterName: 'us-1' }, { deadline: 50 }));
    await clock.advance(50);
    expect(((await failed) as Error).message).toBe(
      `no request {"clusterName":"us-1"} within 50 ms; recorded: ${JSON.stringify(request)}`,
    );
    await recorder.waitFor({ name: 'cart' });
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('InMemoryClient', () => {
  it('reads written objects frozen, and refuses missing and existing ones', async () => {
    const client = new InMemoryClient();
    expect(isNotFound(await failureOf(client.get(ConfigMap, key)))).toBe(true);
    expect(await client.find(ConfigMap, key)).toBeUndefined();
    const created = await client.create(ConfigMap, { metadata: key, data: { a: '1' } });
    expect(created.metadata).toMatchObject({ ...key, generation: 1, uid: expect.any(String) });
    expect(isAlreadyExists(await failureOf(client.create(ConfigMap, { metadata: key })))).toBe(true);
    const read = await client.get(ConfigMap, key);
    expect(read).toEqual(created);
    expect(Object.isFrozen(read.data)).toBe(true);
    created.data = {};
    expect((await client.get(ConfigMap, key)).data).toEqual({ a: '1' });
    const generated = await client.create(ConfigMap, { metadata: { namespace: 'shop', generateName: 'cart-' } });
    expect(generated.metadata.name).toMatch(/^cart-.{5}$/);
  });

  it('lists by namespace and labels', async () => {
    const labelled = (name: string, namespace: string, app: string) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace, name, labels: { app } },
    });
    const client = new InMemoryClient([
      labelled('a', 'x', 'cart'),
      labelled('b', 'x', 'till'),
      labelled('c', 'y', 'cart'),
    ]);
    const names = async (options: Parameters<typeof client.list>[1]) =>
      (await client.list(ConfigMap, options)).items.map(({ metadata }) => metadata.name);
    expect(await names({})).toEqual(['a', 'b', 'c']);
    expect(await names({ namespace: 'x', labelSelector: 'app in (cart)' })).toEqual(['a']);
    expect((await client.list(Deployment)).items).toEqual([]);
    expect(await names({ fieldSelector: 'metadata.name=a' })).toEqual(['a']);
    await expect(names({ fieldSelector: 'data.a=b' })).rejects.toThrow('a cache supports only metadata.name');
  });

  it.each<[string, (client: InMemoryClient, stale: ConfigMap) => Promise<unknown>]>([
    ['an update', (client, stale) => client.update(ConfigMap, stale)],
    [
      'a patch',
      (client, { metadata: { resourceVersion } }) =>
        client.patch(ConfigMap, key, { metadata: { resourceVersion } }, 'merge'),
    ],
    [
      'a delete',
      (client, { metadata: { resourceVersion } }) =>
        client.delete(ConfigMap, key, { preconditions: { resourceVersion } }),
    ],
    ['a delete by uid', (client) => client.delete(ConfigMap, key, { preconditions: { uid: 'other' } })],
  ])('%s of a version that is not the present one is a conflict', async (_, write) => {
    const client = new InMemoryClient();
    const stale = await client.create(ConfigMap, { metadata: key });
    await client.patch(ConfigMap, key, { data: { a: '1' } }, 'merge');
    expect(isConflict(await failureOf(write(client, stale)))).toBe(true);
    expect((await client.get(ConfigMap, key)).data).toEqual({ a: '1' });
  });

  it('SH-19: lists by shard selector', async () => {
    const client = new InMemoryClient();
    for (const namespace of ['shop', 'default']) await client.create(ConfigMap, { metadata: { namespace, name: 'a' } });
    const start = fnv1a64('shop');
    const shardSelector = { field: 'namespace', ranges: [{ start, end: start + 1n }] } as const;
    const { items } = await client.list(ConfigMap, { shardSelector });
    expect(items.map(({ metadata }) => metadata.namespace)).toEqual(['shop']);
  });

  it('S-14: refuses whole objects of a metadata-only kind', async () => {
    const client = new InMemoryClient();
    await client.create(ConfigMap, { metadata: key, data: { a: '1' } });
    const Meta = partialMetadata(ConfigMap);
    const refused = 'found a kind with metadata only';
    await expect(client.create(Meta, { metadata: key })).rejects.toThrow(refused);
    await expect(client.update(Meta, { metadata: key })).rejects.toThrow(refused);
    await expect(client.status.update(Meta, { metadata: key })).rejects.toThrow(refused);
    await client.patch(Meta, key, { metadata: { labels: { app: 'cart' } } }, 'merge');
    expect((await client.get(ConfigMap, key)).data).toEqual({ a: '1' });
  });

  it('S-14: refuses unknown options', async () => {
    const client = new InMemoryClient();
    const misspelt = { dryrun: true, labelselector: 'a=b' } as object;
    const object = { metadata: key };
    const calls = [
      () => client.get(ConfigMap, key, misspelt),
      () => client.find(ConfigMap, key, misspelt),
      () => client.list(ConfigMap, misspelt),
      () => client.create(ConfigMap, object, misspelt),
      () => client.update(ConfigMap, object, misspelt),
      () => client.patch(ConfigMap, key, {}, 'merge', misspelt),
      () => client.status.update(ConfigMap, object, misspelt),
      () => client.status.patch(ConfigMap, key, {}, 'merge', misspelt),
      () => client.delete(ConfigMap, key, misspelt),
      () => client.deleteCollection(ConfigMap, misspelt),
      () => new InMemoryCluster().cache.find(ConfigMap, key, misspelt),
    ];
    for (const call of calls) await expect(call()).rejects.toThrow('unknown options "dryrun", "labelselector"');
    await client.create(ConfigMap, object);
    await client.delete(ConfigMap, key, { propagationPolicy: 'Foreground' });
    expect(await client.find(ConfigMap, key)).toBeUndefined();
  });

  it('supports only RFC 7386 merge patches', async () => {
    const client = new InMemoryClient();
    await client.create(ConfigMap, { metadata: key, data: { a: '1', b: '2' } });
    const patched = await client.patch(ConfigMap, key, { data: { a: null, c: '3' } }, 'merge');
    expect(patched.data).toEqual({ b: '2', c: '3' });
    await expect(client.patch(ConfigMap, key, [], 'json')).rejects.toThrow('a json patch is not supported in memory');
  });

  it('keeps an object that is being deleted until its last finalizer is removed', async () => {
    const client = new InMemoryClient();
    const draft = await client.create(ConfigMap, { metadata: key });
    addFinalizer(draft, 'a/b');
    await client.update(ConfigMap, draft);
    await client.delete(ConfigMap, key);
    const object = await client.get(ConfigMap, key);
    expect(object.metadata.deletionTimestamp).toBeDefined();
    const released = draftOf(object);
    released.metadata.finalizers = [];
    await client.update(ConfigMap, released);
    expect(await client.find(ConfigMap, key)).toBeUndefined();
    await client.create(ConfigMap, { metadata: key });
    await client.delete(ConfigMap, key);
    expect(await client.find(ConfigMap, key)).toBeUndefined();
  });

  it('writes status separately from everything else', async () => {
    const client = new InMemoryClient();
    const settle = (replicas: number) =>
      createOrPatch(client, Deployment, key, (deployment) => {
        deployment.metadata.labels = { app: 'cart' };
        deployment.status = { replicas };
      });
    expect(await settle(1)).toMatchObject({ result: 'created', object: { status: { replicas: 1 } } });
    const draft = draftOf(await client.get(Deployment, key));
    draft.status = { replicas: 7 };
    expect((await client.update(Deployment, draft)).status).toEqual({ replicas: 1 });
    const current = draftOf(await client.get(Deployment, key));
    current.metadata.labels = {};
    current.status = { replicas: 2 };
    expect(await client.status.update(Deployment, current)).toMatchObject({
      metadata: { labels: { app: 'cart' } },
      status: { replicas: 2 },
    });
  });

  it('drops a status in other writes, also if the object has none', async () => {
    const client = new InMemoryClient();
    const draft = await client.create(Deployment, { metadata: key, status: { replicas: 7 } });
    expect(draft.status).toBeUndefined();
    draft.status = { replicas: 7 };
    expect((await client.update(Deployment, draft)).status).toBeUndefined();
    expect((await client.patch(Deployment, key, { status: { replicas: 7 } }, 'merge')).status).toBeUndefined();
  });

  it('increases the generation when the spec changes or a deletion starts, and not for metadata and status', async () => {
    const client = new InMemoryClient();
    const patched = async (patch: object) => (await client.patch(Deployment, key, patch, 'merge')).metadata.generation;
    await client.create(Deployment, { metadata: { ...key, finalizers: ['a/b'] } });
    expect(await patched({ metadata: { labels: { a: 'b' } } })).toBe(1);
    expect(await patched({ spec: { replicas: 2 } })).toBe(2);
    expect(await patched({ spec: { replicas: 2 } })).toBe(2);
    const { metadata } = await client.status.patch(Deployment, key, { status: { replicas: 2 } }, 'merge');
    expect(metadata.generation).toBe(2);
    await client.delete(Deployment, key);
    expect((await client.get(Deployment, key)).metadata.generation).toBe(3);
  });

  it('does not store a dry run', async () => {
    const client = new InMemoryClient();
    const dry = dryRunClient(client);
    expect((await dry.create(ConfigMap, { metadata: key, data: { a: '1' } })).data).toEqual({ a: '1' });
    expect(await client.find(ConfigMap, key)).toBeUndefined();
    const { metadata } = await client.create(ConfigMap, { metadata: key });
    expect((await dry.patch(ConfigMap, key, { data: { a: '2' } }, 'merge')).data).toEqual({ a: '2' });
    await dry.update(ConfigMap, { metadata: key, data: { a: '3' } });
    await dry.status.patch(ConfigMap, key, { status: {} }, 'merge');
    await dry.delete(ConfigMap, key);
    await dry.deleteCollection(ConfigMap);
    expect(await client.get(ConfigMap, key)).toEqual({ apiVersion: 'v1', kind: 'ConfigMap', metadata });
  });

  it('deletes selected objects', async () => {
    const client = new InMemoryClient();
    for (const name of ['a', 'b']) await client.create(ConfigMap, { metadata: { ...key, name, labels: { name } } });
    await client.create(ConfigMap, { metadata: { name: 'a', namespace: 'other' } });
    await client.deleteCollection(ConfigMap, { namespace: 'shop', labelSelector: 'name=a' });
    const names = (await client.list(ConfigMap)).items.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
    expect(names).toEqual(['shop/b', 'other/a']);
  });

  it('refuses unsupported operations', async () => {
    const client = new InMemoryClient();
    expect(() => client.watch()).toThrow('watch is not supported in memory');
    expect(() => client.subresource('scale')).toThrow('the subresource scale is not supported in memory');
    await expect(client.table()).rejects.toThrow('table is not supported in memory');
    await expect(client.apply()).rejects.toThrow('server-side apply is not supported in memory');
    await expect(client.status.apply(ConfigMap, { metadata: key })).rejects.toThrow(
      'server-side apply is not supported',
    );
  });
});

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
    await cluster.cache.indexField(ConfigMap, 'generation', '.metadata.generation');
    await cluster.cache.indexField(ConfigMap, 'finalizer', '.metadata.finalizers');
    await cluster.cache.indexField(ConfigMap, 'inherited', '.data.constructor.name');
    const metadata = { ...key, finalizers: ['example.com/a', 'example.com/b'] };
    await cluster.client.create(ConfigMap, { metadata, data: { 'the.colour': 'red' } });
    const count = async (name: string, value: string) =>
      (await cluster.client.list(ConfigMap, { index: { name, value } })).items.length;
    expect(await count('colour', 'red')).toBe(1);
    expect(await count('colour', '')).toBe(0);
    expect(await count('generation', '1')).toBe(1);
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

  it('is ready, runs until the abort, and takes labels', async () => {
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
    end.abort();
    await running;
    await cluster.run(end.signal);
  });
});
