import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ConfigMap, defineKind, silentLogger } from '@mcr/client';
import { createManager } from '../manager/create-manager.ts';
import type { Manager } from '../manager/manager.ts';
import { InMemoryProvider } from '../provider/in-memory-provider.ts';
import { eventually } from '../testing/eventually.ts';
import { InMemoryCluster } from '../testing/in-memory-cluster.ts';
import type { FleetReader } from './fleet-reader.ts';
import { createFleetReader } from './fleet-reader.ts';

/** Clusters of the fleet status that are not engaged. */
const AWAY = 2_000;

const map = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'shop', name } });

describe('a fleet reader with hostile callers', () => {
  const clusters = ['eu-1', 'us-1'].map((name) => new InMemoryCluster({ name, objects: [map('a'), map('b')] }));
  const end = new AbortController();
  let manager: Manager;
  let reader: FleetReader;
  let ended: Promise<void>;
  beforeAll(async () => {
    const provider = new InMemoryProvider();
    manager = await createManager({ provider, config: 'none', logger: silentLogger, metrics: { bindAddress: '0' } });
    reader = createFleetReader(manager);
    ended = manager.start(end.signal);
    for (const cluster of clusters) {
      // Loads the modules of the API server, which takes longer than `syncTimeout` on a busy machine.
      await cluster.client.list(ConfigMap);
      provider.set(cluster.name, cluster);
      await eventually(async () => expect(await manager.getCluster(cluster.name)).toBe(cluster));
    }
  });
  afterAll(async () => {
    end.abort();
    await ended;
  });

  /** Starts a watch, and reads it until both clusters are in sync. */
  async function syncedWatch(namespace: string, signal?: AbortSignal) {
    const events = reader.watch(ConfigMap, { namespace, ...(signal && { signal }) });
    for (let synced = 0; synced < clusters.length;) if ((await events.next()).value?.type === 'synced') synced += 1;
    return events;
  }

  it.each(['a in', '=', 'a in (', '!', 'a=b,,c=d'])(
    'FP-5: refuses the label selector %j before it reads',
    async (labelSelector) => {
      expect(() => reader.list(ConfigMap, { labelSelector })).toThrow(SyntaxError);
      expect(() => reader.watch(ConfigMap, { labelSelector })).toThrow(SyntaxError);
      await expect(reader.count(ConfigMap, { labelSelector })).rejects.toThrow(SyntaxError);
    },
  );

  it('FP-5: does not wait for a provider that never answers once its signal aborts', async () => {
    const stop = new AbortController();
    const clusters = { from: { get: () => new Promise<never>(() => undefined) } };
    const count = reader.count(ConfigMap, { clusters, signal: stop.signal });
    stop.abort(new Error('stopped by the caller'));
    await expect(count).rejects.toThrow('stopped by the caller');
  });

  it('FP-5: reads a list again after its caller has stopped at the first object', async () => {
    const list = reader.list(ConfigMap, { namespace: 'shop' });
    for await (const { key } of list) {
      expect(key.namespace).toBe('shop');
      break;
    }
    expect(list.coverage.read).toEqual([]);
    let count = 0;
    for await (const _ of list) count += 1;
    expect([count, list.coverage.read]).toEqual([4, ['eu-1', 'us-1']]);
  });

  it('FP-5: names the clusters whose caches do not sync in time, and reads them in the next iteration', async () => {
    const cache = clusters[0]?.cache as { informer: unknown };
    const { informer } = cache;
    cache.informer = () => new Promise(() => undefined);
    const list = reader.list(ConfigMap, { namespace: 'shop', syncTimeout: 1 });
    for await (const _ of list);
    expect(list.coverage.missing).toContainEqual({ clusterName: 'eu-1', reason: 'not synced within 1 ms' });
    cache.informer = informer;
    expect((await reader.count(ConfigMap, { namespace: 'shop' })).total).toBe(4);
  });

  it('FP-5: does not wait for clusters whose server refuses the list, and names the reason', async () => {
    const kind = defineKind({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', scope: 'Cluster' });
    const { total, coverage } = await reader.count(kind, { syncTimeout: 3_600_000 });
    expect([total, coverage.read]).toEqual([0, []]);
    expect(coverage.missing).toEqual(
      ['eu-1', 'us-1'].map((clusterName) => ({ clusterName, reason: expect.stringContaining('TokenReview') })),
    );
  });

  it('FP-5: ends a watch whose caller stops or throws, and does not disturb the next one', async () => {
    for await (const _ of reader.watch(ConfigMap)) break;
    const failure = new Error('the caller failed');
    const reading = (async () => {
      for await (const _ of reader.watch(ConfigMap)) throw failure;
    })();
    await expect(reading).rejects.toBe(failure);
    for await (const { type } of reader.watch(ConfigMap)) if (type === 'synced') break;
  });

  it('FP-5: ends an aborted watch while its caller waits, and before its caller has started', async () => {
    const abort = new AbortController();
    const events = await syncedWatch('none', abort.signal);
    const next = events.next();
    abort.abort();
    expect(await next).toEqual({ done: true, value: undefined });
    const unread = reader.watch(ConfigMap, { signal: abort.signal });
    expect(await unread.next()).toEqual({ done: true, value: undefined });
  });

  it('FP-5: names thousands of clusters that are not engaged, with short reasons, and waits for none', async () => {
    for (let index = 0; index < AWAY; index += 1) {
      manager.fleet.recorder.phase(`away-${index}`, 'Unreachable', 'x'.repeat(10_000));
    }
    const { total, coverage } = await reader.count(ConfigMap, { namespace: 'shop' });
    expect(total).toBe(4);
    expect([coverage.read, coverage.missing.length]).toEqual([['eu-1', 'us-1'], AWAY]);
    expect(Math.max(...coverage.missing.map(({ reason }) => reason.length))).toBeLessThanOrEqual(1_024);
  });

  it('FP-5: delivers one event for many changes of an object to a slow caller', async () => {
    const events = await syncedWatch('shop');
    const [{ client, cache } = new InMemoryCluster()] = clusters;
    const last = Promise.withResolvers<void>();
    // Handlers are notified in the order in which they were added: the watch has the event before this handler.
    const informer = await cache.informer(ConfigMap);
    informer.addHandler({
      onAdd({ key }) {
        if (key.name === 'last') last.resolve();
      },
    });
    for (let index = 1; index <= 30; index += 1) {
      await client.patch(ConfigMap, { namespace: 'shop', name: 'a' }, { data: { index: String(index) } }, 'merge');
    }
    await client.create(ConfigMap, { metadata: { namespace: 'shop', name: 'last' } });
    await last.promise;
    const seen: (string | undefined)[] = [];
    for await (const event of events) {
      if (!('object' in event)) continue;
      if (event.object.key.name === 'last') break;
      seen.push(event.object.object.data?.['index']);
    }
    expect(seen).toEqual(['30']);
  });
});
