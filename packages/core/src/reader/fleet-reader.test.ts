import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Pod } from '@mcr/client';
import { ConfigMap, silentLogger } from '@mcr/client';
import { ClusterNotFoundError } from '../fleet/multicluster/cluster-not-found-error.ts';
import { NotOwnerError } from '../fleet/multicluster/not-owner-error.ts';
import { createManager } from '../manager/create-manager.ts';
import type { Manager } from '../manager/manager.ts';
import { InMemoryProvider } from '../provider/in-memory-provider.ts';
import { eventually } from '../testing/eventually.ts';
import { InMemoryCluster } from '../testing/in-memory-cluster.ts';
import type { FleetReader } from './fleet-reader.ts';
import { createFleetReader } from './fleet-reader.ts';
import type { FleetEvent } from './fleet-watch.ts';

const map = (name: string, labels: Record<string, string> = {}, namespace = 'shop') => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace, name, labels },
});

const provider = new Map<string, InMemoryCluster>();
let fleet: InMemoryProvider<InMemoryCluster>;
let manager: Manager;
let reader: FleetReader;
let end: AbortController;
let ended: Promise<void>;

/** Adds a cluster and waits until it is engaged. */
async function join(name: string, objects: ReturnType<typeof map>[], env = 'prod'): Promise<InMemoryCluster> {
  const cluster = new InMemoryCluster({ name, objects });
  cluster.describe({ labels: { env }, properties: {} });
  fleet.set(name, cluster);
  provider.set(name, cluster);
  await eventually(async () => expect(await manager.getCluster(name)).toBe(cluster));
  return cluster;
}

beforeEach(async () => {
  fleet = new InMemoryProvider();
  manager = await createManager({
    provider: fleet,
    config: 'none',
    logger: silentLogger,
    metrics: { bindAddress: '0' },
  });
  reader = createFleetReader(manager);
  end = new AbortController();
  ended = manager.start(end.signal);
  await join('eu-1', [map('a', { app: 'cart' }), map('b')]);
  await join('us-1', [map('a', { app: 'cart' }), map('c', {}, 'other')], 'stage');
});

afterEach(async () => {
  end.abort();
  await ended;
});

/** Returns the selected objects as `cluster/namespace/name`. */
async function listed(options: Parameters<FleetReader['list']>[1] = {}): Promise<string[]> {
  const found: string[] = [];
  for await (const { clusterName, key } of reader.list(ConfigMap, options)) {
    if (key.name !== 'kube-root-ca.crt') found.push(`${clusterName}/${key.namespace}/${key.name}`);
  }
  return found.sort();
}

describe('list', () => {
  it('FP-5: yields the objects of all clusters with their clusters', async () => {
    expect(await listed()).toEqual(['eu-1/shop/a', 'eu-1/shop/b', 'us-1/other/c', 'us-1/shop/a']);
  });

  it('FP-5: selects objects by namespace, labels and index, and clusters by labels', async () => {
    await manager.fieldIndexer.indexField(ConfigMap, 'app', '.metadata.labels.app');
    expect(await listed({ namespace: 'other' })).toEqual(['us-1/other/c']);
    expect(await listed({ labelSelector: 'app=cart' })).toEqual(['eu-1/shop/a', 'us-1/shop/a']);
    expect(await listed({ index: { name: 'app', value: 'cart' }, namespace: 'shop' })).toHaveLength(2);
    expect(await listed({ clusters: { clusterSelector: 'env=stage' }, labelSelector: 'app' })).toEqual(['us-1/shop/a']);
  });

  it('FP-5: decodes an object only when it is read', async () => {
    for await (const { metadata, object } of reader.list(ConfigMap, { labelSelector: 'app=cart' })) {
      expect(object.metadata).toEqual(metadata);
    }
  });

  it('FP-5: names the clusters that it read, and those that are missing', async () => {
    manager.fleet.recorder.phase('gone-1', 'Unreachable', 'connection refused');
    const list = reader.list(ConfigMap);
    for await (const _ of list);
    expect(list.coverage).toEqual({
      read: ['eu-1', 'us-1'],
      stale: [],
      missing: [{ clusterName: 'gone-1', reason: 'connection refused' }],
      notOwned: [],
    });
  });

  it('FP-5: leaves out clusters that are not engaged, if their labels do not match', async () => {
    const { recorder } = manager.fleet;
    for (const name of ['away-1', 'away-2', 'away-3']) recorder.phase(name, 'Unreachable', 'connection refused');
    recorder.labels('away-1', { env: 'prod' });
    recorder.labels('away-2', { env: 'stage' });
    const { coverage } = await reader.count(ConfigMap, { clusters: { clusterSelector: 'env=prod' } });
    expect(coverage.read).toEqual(['eu-1']);
    expect(coverage.missing.map(({ clusterName }) => clusterName)).toEqual(['away-1', 'away-3']);
  });

  it('FP-5: names the clusters that other replicas serve, and those that fail', async () => {
    const getCluster = manager.getCluster.bind(manager);
    for (const name of ['theirs-1', 'theirs-2']) manager.fleet.recorder.phase(name, 'Discovered', 'not served here');
    const sharded = Object.assign(Object.create(manager) as Manager, {
      getCluster: async (name: string) => {
        if (name === 'theirs-1') throw new NotOwnerError(name, { owner: 'replica-2' });
        if (name === 'theirs-2') throw new ClusterNotFoundError(name, { declined: 'of another partition' });
        return getCluster(name);
      },
    });
    const failing = provider.get('us-1')?.cache as { informer: unknown };
    failing.informer = async () => Promise.reject(new Error('no such kind'));
    const { total, coverage } = await createFleetReader(sharded).count(ConfigMap, { namespace: 'shop' });
    expect(total).toBe(2);
    expect(coverage).toEqual({
      read: ['eu-1'],
      stale: [],
      missing: [{ clusterName: 'us-1', reason: 'no such kind' }],
      notOwned: [{ clusterName: 'theirs-1', owner: 'replica-2' }, { clusterName: 'theirs-2' }],
    });
  });

  it('FP-5: refuses invalid options and unknown indexes', async () => {
    expect(() => reader.list(ConfigMap, { labelSelector: 'a in' })).toThrow(SyntaxError);
    expect(() => reader.list(ConfigMap, { limit: 1 } as object)).toThrow('list(ConfigMap)');
    expect(() => reader.watch({} as typeof Pod)).toThrow(TypeError);
    await expect(reader.count(ConfigMap, { syncTimeout: -1 })).rejects.toThrow('option "syncTimeout"');
    await expect(listed({ index: { name: 'none', value: 'a' } })).rejects.toThrow(TypeError);
  });

  it('FP-5: ends with the reason of its signal', async () => {
    const reason = new Error('enough');
    await expect(listed({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const abort = new AbortController();
    const reading = (async () => {
      for await (const _ of reader.list(ConfigMap, { signal: abort.signal })) abort.abort(reason);
    })();
    await expect(reading).rejects.toBe(reason);
  });
});

describe('count', () => {
  it('FP-5: counts the objects of each cluster', async () => {
    const { total, byCluster } = await reader.count(ConfigMap, { namespace: 'shop' });
    expect(total).toBe(3);
    expect(Object.fromEntries(byCluster)).toEqual({ 'eu-1': 2, 'us-1': 1 });
    expect((await reader.count(ConfigMap, { labelSelector: 'app=cart' })).total).toBe(2);
  });
});

describe('watch', () => {
  /** Reads a watch in the background. @returns the events as text, and a function that ends the watch. */
  function watched(options: Parameters<FleetReader['watch']>[1] = {}) {
    const abort = new AbortController();
    const events: string[] = [];
    const done = (async () => {
      for await (const event of reader.watch(ConfigMap, { ...options, signal: abort.signal })) {
        const text = textOf(event);
        if (!text.endsWith('kube-root-ca.crt')) events.push(text);
      }
    })();
    const stop = async () => {
      abort.abort();
      await done;
    };
    return { events, stop };
  }

  function textOf(event: FleetEvent<ConfigMap>): string {
    const name = 'object' in event ? `/${event.object.key.name}` : '';
    return `${event.type} ${event.clusterName}${name}`;
  }

  it('FP-5: yields existing objects, their changes, and the clusters that join and leave', async () => {
    const { events, stop } = watched({ namespace: 'shop' });
    await eventually(() => expect(events).toEqual(expect.arrayContaining(['synced eu-1', 'synced us-1'])));
    expect(events.slice().sort()).toEqual([
      'changed eu-1/a',
      'changed eu-1/b',
      'changed us-1/a',
      'synced eu-1',
      'synced us-1',
    ]);
    expect(events.indexOf('changed eu-1/b')).toBeLessThan(events.indexOf('synced eu-1'));

    events.length = 0;
    await provider.get('eu-1')?.client.delete(ConfigMap, { namespace: 'shop', name: 'a' });
    await eventually(() => expect(events).toEqual(['deleted eu-1/a']));

    events.length = 0;
    await join('ap-1', [map('z')]);
    await eventually(() => expect(events).toEqual(['changed ap-1/z', 'synced ap-1']));

    events.length = 0;
    await fleet.delete('ap-1');
    await eventually(() => expect(events).toEqual(['reset ap-1']));
    await stop();
  });

  it('FP-5: reports an object whose labels are no longer selected as deleted', async () => {
    const { events, stop } = watched({ labelSelector: 'app=cart' });
    await eventually(() => expect(events).toContain('synced eu-1'));
    events.length = 0;
    const client = provider.get('eu-1')?.client;
    await client?.patch(ConfigMap, { namespace: 'shop', name: 'a' }, { metadata: { labels: { app: 'web' } } }, 'merge');
    await eventually(() => expect(events).toContain('deleted eu-1/a'));
    await stop();
  });

  it('FP-5: drops a cluster whose labels are no longer selected', async () => {
    const { events, stop } = watched({ clusters: { clusterSelector: 'env=prod' } });
    await eventually(() => expect(events).toContain('synced eu-1'));
    expect(events.join()).not.toContain('us-1');
    provider.get('eu-1')?.describe({ labels: {}, properties: {} });
    await eventually(() => expect(events.at(-1)).toBe('reset eu-1'));
    await stop();
  });

  it('FP-5: ends when its caller stops, and when the manager stops', async () => {
    for await (const event of reader.watch(ConfigMap)) {
      expect(event.type).toBe('changed');
      break;
    }
    const { events } = watched();
    await eventually(() => expect(events).toContain('synced us-1'));
    end.abort();
    await ended;
    await expect(reader.watch(ConfigMap).next()).rejects.toThrow('the manager is stopping');
  });
});
