import { beforeEach, describe, expect, it } from '@jest/globals';
import { VirtualClock } from '@mcr/client/testing';
import { createFleet } from '../../fleet/status/create-fleet.ts';
import { requestType } from '../../controller/reconcile/request.ts';
import { WorkQueue } from '../../controller/workqueue/workqueue.ts';
import { PrometheusMetrics } from './prometheus-metrics.ts';

describe('metrics', () => {
  let clock: VirtualClock;
  let metrics: PrometheusMetrics;
  beforeEach(async () => {
    clock = new VirtualClock();
    metrics = await PrometheusMetrics.create({ clock, maxClusterLabels: 2 });
  });

  /** Returns the samples of one metric by their labels, as text. */
  async function samples(name: string): Promise<Record<string, number>> {
    const found: Record<string, number> = {};
    for (const line of (await metrics.registry.metrics()).split('\n')) {
      const [, metric, labels = '', value] = /^(\w+)\{?(.*?)\}? (\S+)$/u.exec(line) ?? [];
      if (metric === name) found[labels] = Number(value);
    }
    return found;
  }

  const request = (name: string, clusterName = 'eu-1') => ({ clusterName, namespace: 'default', name });

  it('WQ-12: measures a workqueue', async () => {
    const { queue: observer } = metrics.controller('copy');
    const queue = new WorkQueue({ requestType, clock, metrics: observer });
    const labels = 'name="copy",controller="copy"';
    expect(await samples('workqueue_adds_total')).toEqual({ [labels]: 0 });

    queue.add(request('a'));
    queue.add(request('a'));
    queue.add(request('b'), { priority: -100 });
    queue.add(request('c', 'eu-2'));
    expect(await samples('workqueue_adds_total')).toEqual({ [labels]: 3 });
    expect(await samples('workqueue_depth')).toEqual({
      [`${labels},priority="0"`]: 2,
      [`${labels},priority="-100"`]: 1,
    });
    queue.add(request('b'), { priority: 7 });
    expect(await samples('workqueue_adds_total')).toEqual({ [labels]: 3 });
    expect(await samples('workqueue_depth')).toEqual({
      [`${labels},priority="0"`]: 2,
      [`${labels},priority="-100"`]: 0,
      [`${labels},priority="7"`]: 1,
    });

    await clock.advance(2_000);
    const first = queue.tryGet();
    await clock.advance(1_000);
    const second = queue.tryGet();
    await clock.advance(3_000);
    if (!first || !second) throw new Error('expected two requests');
    expect(await samples('workqueue_queue_duration_seconds_sum')).toEqual({ [labels]: 5 });
    expect(await samples('workqueue_queue_duration_seconds_count')).toEqual({ [labels]: 2 });
    expect(await samples('workqueue_unfinished_work_seconds')).toEqual({ [labels]: 7 });
    expect(await samples('workqueue_longest_running_processor_seconds')).toEqual({ [labels]: 4 });

    queue.done(first, { after: 'backoff' });
    queue.done(second, { after: 60_000 });
    expect(await samples('workqueue_retries_total')).toEqual({ [labels]: 2 });
    expect(await samples('workqueue_work_duration_seconds_sum')).toEqual({ [labels]: 7 });
    expect(await samples('workqueue_unfinished_work_seconds')).toEqual({ [labels]: 0 });

    queue.dropCluster('eu-1');
    queue.dropCluster('eu-2');
    expect(Object.values(await samples('workqueue_depth'))).toEqual([0, 0, 0]);
    queue.shutDown();
  });

  it('WQ-12: counts a request that is added while it is processed as waiting', async () => {
    const { queue: observer } = metrics.controller('copy');
    const queue = new WorkQueue({ requestType, clock, metrics: observer });
    queue.add(request('a'));
    const item = queue.tryGet();
    queue.add(request('a'));
    const depth = async () => Object.values(await samples('workqueue_depth'));
    expect(await depth()).toEqual([1]);
    if (item) queue.done(item);
    expect(await depth()).toEqual([1]);
    expect(Object.values(await samples('workqueue_adds_total'))).toEqual([2]);
    queue.shutDown();
    expect(await depth()).toEqual([0]);
  });

  it('CT-16: counts reconciles like controller-runtime, and by cluster', async () => {
    const controller = metrics.controller('copy');
    controller.maxConcurrentReconciles(4);
    for (let i = 0; i < 6; i++) controller.reconcileStarted();
    controller.reconcileEnded({ cluster: 'eu-1', result: 'success', duration: 250 });
    controller.reconcileEnded({ cluster: 'eu-1', result: 'error', failure: 'error', duration: 250 });
    controller.reconcileEnded({ cluster: 'eu-1', result: 'error', failure: 'panic', duration: 250 });
    controller.reconcileEnded({ cluster: 'eu-1', result: 'error', failure: 'terminal', duration: 250 });
    controller.reconcileEnded(undefined);
    const labels = 'controller="copy",cluster="eu-1"';
    expect(await samples('controller_runtime_reconcile_total')).toEqual({
      [`${labels},result="success"`]: 1,
      [`${labels},result="error"`]: 3,
      [`${labels},result="requeue"`]: 0,
      [`${labels},result="requeue_after"`]: 0,
    });
    expect(await samples('controller_runtime_reconcile_errors_total')).toEqual({ [labels]: 3 });
    expect(await samples('controller_runtime_terminal_reconcile_errors_total')).toEqual({ [labels]: 1 });
    expect(await samples('controller_runtime_reconcile_panics_total')).toEqual({ [labels]: 1 });
    expect(await samples('controller_runtime_reconcile_timeouts_total')).toEqual({ [labels]: 0 });
    expect(await samples('controller_runtime_reconcile_time_seconds_sum')).toEqual({ 'controller="copy"': 1 });
    expect(await samples('controller_runtime_max_concurrent_reconciles')).toEqual({ 'controller="copy"': 4 });
    expect(await samples('controller_runtime_active_workers')).toEqual({ 'controller="copy"': 1 });
  });

  it('counts requests to API servers like client-go, and bounds the label host', async () => {
    const { client } = metrics;
    const request = { method: 'GET', host: 'a:6443' } as const;
    client.requested(request, { code: '503', duration: 250, bytes: 0 });
    client.retried(request, '503');
    client.requested(request, { code: '200', duration: 1_000, bytes: 0 });
    client.responded(request, 2_000);
    client.rateLimited(request, 500);
    client.requested({ method: 'POST', host: 'b:6443' }, { code: '<error>', duration: 1, bytes: 64 });
    for (const host of ['c:6443', 'a:6443']) client.responded({ method: 'GET', host }, 1);
    expect(await samples('rest_client_requests_total')).toEqual({
      'code="503",method="GET",host="a:6443"': 1,
      'code="200",method="GET",host="a:6443"': 1,
      'code="<error>",method="POST",host="b:6443"': 1,
    });
    expect(await samples('rest_client_request_retries_total')).toEqual({ 'code="503",verb="GET",host="a:6443"': 1 });
    const [a, b, any] = ['verb="GET",host="a:6443"', 'verb="POST",host="b:6443"', 'verb="GET",host="*"'];
    expect(await samples('rest_client_request_duration_seconds_sum')).toEqual({ [a]: 1.25, [b]: 0.001 });
    expect(await samples('rest_client_request_size_bytes_sum')).toEqual({ [a]: 0, [b]: 64 });
    expect(await samples('rest_client_response_size_bytes_sum')).toEqual({ [a]: 2_000, [any]: 2 });
    expect(await samples('rest_client_rate_limiter_duration_seconds_sum')).toEqual({ [a]: 0.5 });
  });

  it('CT-16: replaces the label cluster beyond its limit, and no sum decreases', async () => {
    const controller = metrics.controller('copy');
    const sums: number[] = [];
    for (const cluster of ['a', 'b', 'c', 'a']) {
      controller.reconcileStarted();
      controller.reconcileEnded({ cluster, result: 'success', duration: 1 });
      sums.push(Object.values(await samples('controller_runtime_reconcile_total')).reduce((a, b) => a + b));
    }
    expect(sums).toEqual([1, 2, 3, 4]);
    const totals = await samples('controller_runtime_reconcile_total');
    expect(totals['controller="copy",cluster="a",result="success"']).toBe(1);
    expect(totals['controller="copy",cluster="*",result="success"']).toBe(2);
    expect(Object.keys(totals).join()).not.toContain('cluster="c"');
  });

  it('FL-1: counts clusters by phase', async () => {
    const fleet = createFleet({ clock });
    metrics.fleet(fleet);
    fleet.recorder.phase('eu-1', 'Engaged', 'everything has synced');
    fleet.recorder.phase('eu-2', 'Unreachable', 'connection refused');
    expect(await samples('mcr_fleet_clusters')).toMatchObject({
      'phase="Engaged"': 1,
      'phase="Unreachable"': 1,
      'phase="Degraded"': 0,
    });
    fleet.recorder.phase('eu-2', 'Engaged', 'everything has synced');
    expect(await samples('mcr_fleet_clusters')).toMatchObject({ 'phase="Engaged"': 2, 'phase="Unreachable"': 0 });
  });

  it('FP-2: counts slow and parked clusters, and how often each was parked', async () => {
    metrics = await PrometheusMetrics.create({ clock, maxClusterLabels: 3 });
    const fleet = createFleet({ clock });
    metrics.fleet(fleet);
    for (const name of ['eu-1', 'eu-2', 'eu-3']) fleet.recorder.phase(name, 'Engaged', 'everything has synced');
    expect(await samples('mcr_fleet_isolated_clusters')).toEqual({ 'state="slow"': 0, 'state="parked"': 0 });
    fleet.recorder.isolated('eu-1', { state: 'slow', reason: 'no response to PATCH within 1000 ms' });
    fleet.recorder.isolated('eu-2', { state: 'slow', reason: 'no response to PATCH within 1000 ms' });
    fleet.recorder.isolated('eu-3', { state: 'parked', reason: 'no answer to a ping within 1000 ms' });
    expect(await samples('mcr_fleet_isolated_clusters')).toEqual({ 'state="slow"': 2, 'state="parked"': 1 });
    fleet.recorder.isolated('eu-1', undefined);
    fleet.recorder.phase('eu-3', 'Disengaged', 'it was removed');
    expect(await samples('mcr_fleet_isolated_clusters')).toEqual({ 'state="slow"': 1, 'state="parked"': 0 });

    metrics.clusterParked('eu-3');
    metrics.clusterParked('eu-3');
    metrics.clusterParked('eu-2');
    expect(await samples('mcr_fleet_parked_total')).toEqual({ 'cluster="eu-2"': 1, 'cluster="eu-3"': 2 });
  });

  it('FP-2: measures for how long a cluster has been slow or parked, only while it is', async () => {
    const fleet = createFleet({ clock });
    metrics.fleet(fleet);
    for (const name of ['eu-1', 'eu-2']) fleet.recorder.phase(name, 'Engaged', 'all watches have synced');
    fleet.recorder.isolated('eu-2', { state: 'slow', reason: 'no response to PATCH within 1000 ms' });
    await clock.advance(5_000);
    expect(await samples('mcr_fleet_isolated_seconds')).toEqual({ 'cluster="eu-2",state="slow"': 5 });
    fleet.recorder.isolated('eu-2', undefined);
    expect(await samples('mcr_fleet_isolated_seconds')).toEqual({});
  });

  it('F-4: measures for how long a cluster has been stale, only while it is', async () => {
    const fleet = createFleet({ clock });
    metrics.fleet(fleet);
    const heard = { a: 0, b: 0 };
    for (const name of ['eu-1', 'eu-2']) {
      for (const [controller, of] of [
        ['a', 'a'],
        ['b', 'b'],
      ] as const) {
        const staleFor = () => (name === 'eu-1' ? heard[of] : 0);
        fleet.recorder.source(name, { controller, source: 'v1 Secret', state: 'synced', staleFor });
      }
    }
    expect(await samples('mcr_fleet_stale_seconds')).toEqual({});
    expect(fleet.get('eu-1')?.sources).toEqual({ 'v1 Secret': { synced: true, objects: 0 } });
    Object.assign(heard, { a: 120_000, b: 91_000 });
    expect(await samples('mcr_fleet_stale_seconds')).toEqual({ 'cluster="eu-1"': 120 });
    expect(fleet.get('eu-1')?.sources).toEqual({ 'v1 Secret': { synced: true, objects: 0, staleFor: 120_000 } });
    Object.assign(heard, { a: 0, b: 0 });
    expect(await samples('mcr_fleet_stale_seconds')).toEqual({});
  });

  it('FP-2: the clusters beyond the limit of the label share the longest duration', async () => {
    const limited = await PrometheusMetrics.create({ clock, maxClusterLabels: 0 });
    const fleet = createFleet({ clock });
    limited.fleet(fleet);
    for (const name of ['eu-2', 'eu-1']) {
      fleet.recorder.phase(name, 'Engaged', 'all watches have synced');
      fleet.recorder.isolated(name, { state: 'slow', reason: 'no response to GET within 1000 ms' });
      await clock.advance(5_000);
    }
    expect(await limited.registry.getSingleMetricAsString('mcr_fleet_isolated_seconds')).toContain(
      '{cluster="*",state="slow"} 10',
    );
  });

  it('MG-5: reports whether this process leads', async () => {
    let leads = false;
    metrics.leaderElection('copy', () => leads);
    expect(await samples('leader_election_master_status')).toEqual({ 'name="copy"': 0 });
    leads = true;
    expect(await samples('leader_election_master_status')).toEqual({ 'name="copy"': 1 });
  });

  it('S-8: a cluster cannot forge a line by its name', async () => {
    metrics.clusterUnreachable('x"} 1\nforged 1');
    const text = await metrics.registry.metrics();
    expect(text.split('\n').filter((line) => line.startsWith('forged'))).toEqual([]);
  });
});
