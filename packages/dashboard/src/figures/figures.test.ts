import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  type ControllerMetrics,
  createManager,
  InMemoryProvider,
  type Manager,
  type Metrics,
  type ShardingStatus,
  silentLogger,
} from '@mcr/core';
import { InMemoryCluster, VirtualClock } from '@mcr/core/testing';
import { clusterDetail } from './cluster-detail.ts';
import { histogramsBy, percentilesOf, since } from './histogram.ts';
import { OverviewReader } from './overview.ts';

describe('percentiles of a histogram', () => {
  const samples = (counts: Readonly<Record<string, number>>, name = 'a') =>
    Object.entries(counts).map(([le, value]) => ({ labels: { le, name }, value }));
  const histogram = (counts: Readonly<Record<string, number>>) => {
    const found = histogramsBy('name', samples(counts)).get('a');
    if (!found) throw new Error('no histogram');
    return found;
  };

  it('WB-8: interpolates within a bucket, as Prometheus does', () => {
    expect(percentilesOf(histogram({ '1': 50, '2': 100, '+Inf': 100 }))).toEqual({ p50: 1, p99: 1.98 });
    expect(percentilesOf(histogram({ '+Inf': 3, '1': 0, '2': 0 }))).toEqual({ p50: 2, p99: 2 });
    expect(percentilesOf(histogram({ '1': 0, '+Inf': 0 }))).toBeUndefined();
  });

  it('WB-8: uses only the values since an earlier reading', () => {
    const [before, now] = [
      histogram({ '1': 100, '2': 100, '+Inf': 100 }),
      histogram({ '1': 100, '2': 200, '+Inf': 200 }),
    ];
    expect(percentilesOf(since(before, now))?.p50).toBe(1.5);
    expect(since(undefined, now)).toBe(now);
  });

  it('WB-8: adds up histograms with the same label', () => {
    const both = histogramsBy('name', [...samples({ '1': 1, '+Inf': 2 }), ...samples({ '1': 3, '+Inf': 3 })]);
    expect(both.get('a')?.count).toBe(5);
    expect(histogramsBy('name', [{ labels: { name: 'sum' }, value: 7 }]).size).toBe(0);
  });
});

describe('the figures of a manager', () => {
  let clock: VirtualClock;
  let manager: Manager;
  let metrics: Metrics;

  beforeEach(async () => {
    clock = new VirtualClock();
    // The port is not opened, because the manager is not started.
    const options = { bindAddress: ':0', maxClusterLabels: 2 };
    manager = await createManager({ clock, logger: silentLogger, provider: new InMemoryProvider(), metrics: options });
    if (!manager.metrics) throw new Error('the metrics are off');
    ({ metrics } = manager);
  });

  async function reconcile(controller: ControllerMetrics, cluster: string, milliseconds: number, failed = false) {
    const item = { priority: 0 };
    controller.queue.waiting(item);
    await clock.advance(100);
    controller.queue.handedOut(item);
    controller.reconcileStarted();
    const outcome = failed ? ({ result: 'error', failure: 'error' } as const) : ({ result: 'success' } as const);
    controller.reconcileEnded({ cluster, duration: milliseconds, ...outcome });
    controller.queue.done(item);
  }

  it('WB-8: reads the rates and percentiles of controllers over the last minute', async () => {
    const reader = new OverviewReader({ manager, metrics, title: 'copier' });
    expect(await reader.read()).toEqual({ title: 'copier', now: clock.wallTime(), controllers: [] });
    const carts = metrics.controller('carts');
    carts.maxConcurrentReconciles(4);
    carts.reconcileStarted();
    for (let count = 0; count < 20; count += 1) await reconcile(carts, 'eu-1', 40, count % 4 === 0);
    carts.queue.waiting({ priority: 0 });
    await clock.advance(8_000);
    const [first] = (await reader.read()).controllers;
    expect(first).toMatchObject({
      ...{ name: 'carts', workers: 4, activeWorkers: 1, depth: 1, reconciles: 20, errors: 5 },
      ...{ reconcileRate: 2, errorRate: 0.5 },
    });
    expect(first?.reconcileSeconds?.p50).toBeCloseTo(0.0375, 3);
    expect(first?.waitSeconds?.p99).toBeCloseTo(0.0991, 3);
    await clock.advance(61_000);
    await reader.read();
    await clock.advance(1_000);
    const { waitSeconds, reconcileSeconds, reconcileRate } = (await reader.read()).controllers[0] ?? {};
    expect([waitSeconds, reconcileSeconds, reconcileRate]).toEqual([undefined, undefined, 0]);
  });

  it('WB-8: reads the state of a replica, and whether the process leads', async () => {
    const status: ShardingStatus = {
      ...{ replica: 'copier-1', fence: 'open' as const, epoch: 3, isCurrent: true, isMember: true, slots: 64 },
      ...{ held: { active: 60, warming: 4, draining: 0 }, replicas: ['copier-0', 'copier-1'] },
      ...{ evictions: 0, plans: 2, handovers: { count: 4, milliseconds: 900 }, refusedWrites: 1 },
    };
    metrics.leaderElection('copier', () => true);
    const sharded = { clock, isLeader: () => true, shardingStatus: () => status };
    const { replica, isLeader } = await new OverviewReader({ manager: sharded, metrics, title: 'copier' }).read();
    expect(isLeader).toBe(true);
    expect(replica).toEqual({
      ...{ name: 'copier-1', fence: 'open', epoch: 3, isMember: true, slots: 64, held: status.held },
      ...{ replicas: status.replicas, handovers: status.handovers, refusedWrites: 1 },
    });
  });

  it('WB-8: reads everything about one cluster', async () => {
    manager.fleet.recorder.phase('eu-1', 'Engaged', 'all sources have synced');
    await reconcile(metrics.controller('carts'), 'eu-1', 40);
    const detail = await clusterDetail('eu-1', { manager, metrics });
    expect(detail).toEqual({
      status: manager.fleet.get('eu-1'),
      controllers: [{ controller: 'carts', results: { success: 1, error: 0, requeue: 0, requeue_after: 0 } }],
    });
    expect(await clusterDetail('eu-2', { manager, metrics })).toBeUndefined();
  });

  it('WB-8: reads the cache and the requests of an engaged cluster', async () => {
    manager.fleet.recorder.phase('eu-1', 'Engaged', 'all sources have synced');
    const cluster = new InMemoryCluster();
    const cache = { ...cluster.cache, stats: () => [{ kind: 'v1 Pod', objects: 3, objectBytes: 500 }] };
    const config = { ...cluster.config, server: 'https://eu-1.example.com:6443' };
    const engaged = Object.assign(Object.create(cluster) as object, { cache, config });
    const getCluster = async () => engaged as Awaited<ReturnType<Manager['getCluster']>>;
    const request = { method: 'GET', host: 'eu-1.example.com:6443' } as const;
    metrics.client.requested(request, { code: '200', duration: 20, bytes: 0 });
    metrics.client.requested({ ...request, host: 'eu-2.example.com' }, { code: '200', duration: 20, bytes: 0 });
    const detail = await clusterDetail('eu-1', { manager: { fleet: manager.fleet, getCluster }, metrics });
    expect(detail?.kinds).toEqual([{ kind: 'v1 Pod', objects: 3, bytes: 500 }]);
    expect(detail?.requests?.count).toBe(1);
    expect(detail?.requests?.seconds?.p50).toBeCloseTo(0.015, 3);
  });

  it('WB-8: shows no counts that stopped when the fleet exceeded the limit of the label cluster', async () => {
    const carts = metrics.controller('carts');
    for (const name of ['eu-1', 'eu-2', 'eu-3']) {
      manager.fleet.recorder.phase(name, 'Engaged', 'all sources have synced');
      await reconcile(carts, name, 40);
    }
    for (const name of ['eu-1', 'eu-3'])
      expect((await clusterDetail(name, { manager, metrics }))?.controllers).toEqual([]);
  });
});
