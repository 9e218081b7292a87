import { expect, it } from '@jest/globals';
import { FakeCluster } from '../fleet/cluster/fake-cluster.fixture.ts';
import type { CallScope } from '../fleet/isolation/pending-call.ts';
import { CircuitBreaker } from '../fleet/isolation/circuit-breaker.ts';
import type { Metrics } from './metrics/metrics.ts';
import { PrometheusMetrics } from './metrics/prometheus-metrics.ts';
import { clock, newManager } from './manager-scene.fixture.ts';

/** Returns the value of a sample. */
async function valueOf({ registry }: Pick<Metrics, 'registry'>, sample: string): Promise<number> {
  const line = (await registry.metrics()).split('\n').find((each) => each.startsWith(`${sample} `));
  return Number(line?.slice(sample.length));
}

it('FP-2: the fleet status, its change feed and the metrics follow the circuit breaker of an engaged cluster', async () => {
  const breaker = new CircuitBreaker({
    clusterName: 'eu-1',
    clock,
    recovery: { recovered: () => new Promise(() => undefined) },
    random: () => 0,
  });
  const write = () => {
    const { signal } = new AbortController();
    const scope: CallScope = { calls: new Set(), preempted: undefined, ended: false, signal };
    return breaker.begin(scope, 'PATCH');
  };
  const metrics = await PrometheusMetrics.create({ clock, maxClusterLabels: 10 });
  const manager = newManager({ metrics });
  const counts = async () => [
    await valueOf(metrics, 'mcr_fleet_isolated_clusters{state="slow"}'),
    await valueOf(metrics, 'mcr_fleet_isolated_clusters{state="parked"}'),
    await valueOf(metrics, 'mcr_fleet_parked_total{cluster="eu-1"}'),
  ];
  const end = new AbortController();
  await manager.engage('eu-1', Object.assign(FakeCluster.ready(), { breaker }), end.signal);
  expect(manager.fleet.get('eu-1')).not.toHaveProperty('isolation');
  const ended = new AbortController();
  const seen: (string | undefined)[] = [];
  const reading = (async () => {
    for await (const { isolation } of manager.fleet.changes(ended.signal)) seen.push(isolation?.state);
  })();

  write();
  write();
  await clock.advance(1_000);
  expect(manager.fleet.get('eu-1')).toMatchObject({
    phase: 'Engaged',
    isolation: { state: 'slow', since: clock.wallTime(), reason: 'no response to PATCH within 1000 ms' },
  });
  expect((await counts()).slice(0, 2)).toEqual([1, 0]);
  await clock.advance(4_000);
  expect(manager.fleet.get('eu-1')).toMatchObject({ phase: 'Degraded', isolation: { state: 'parked' } });
  expect(await counts()).toEqual([0, 1, 1]);

  // A trial that fails belongs to the same outage.
  await clock.advance(1_000);
  write();
  await clock.advance(1_000);
  expect(breaker.state).toMatchObject({ phase: 'parked', parks: 2 });
  expect(await counts()).toEqual([0, 1, 1]);
  await clock.advance(2_000);
  write().answered();
  expect(manager.fleet.get('eu-1')).toMatchObject({ phase: 'Engaged' });
  expect(manager.fleet.get('eu-1')).not.toHaveProperty('isolation');
  expect(await counts()).toEqual([0, 0, 1]);

  write();
  write();
  await clock.advance(5_000);
  expect(await counts()).toEqual([0, 1, 2]);
  end.abort();
  expect(manager.fleet.get('eu-1')).not.toHaveProperty('isolation');
  expect(await counts()).toEqual([0, 0, 2]);
  await clock.advance(0);
  ended.abort();
  await reading;
  expect(seen.filter((state, index) => state !== seen[index - 1])).toEqual([
    'slow',
    'parked',
    undefined,
    'slow',
    'parked',
    undefined,
  ]);
  breaker.close();
});
