import { expect, it } from '@jest/globals';
import { VirtualClock } from '@mcr/client/testing';
import { FakeSharding } from '../sharding/fake-sharding.fixture.ts';
import { PrometheusMetrics } from './prometheus-metrics.ts';

it('SH-12: measures the slots, the plans and the handovers of a replica', async () => {
  const sharding = new FakeSharding();
  const metrics = await PrometheusMetrics.create({ clock: new VirtualClock(), maxClusterLabels: 2 });
  metrics.sharding(() => sharding.status());
  const samples = async () => {
    const text = await metrics.registry.metrics();
    return Object.fromEntries(
      text
        .split('\n')
        .filter((line) => line.startsWith('mcr_shard_'))
        .map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
    );
  };
  const expected = {
    'mcr_shard_slots{state="active"}': 500,
    'mcr_shard_slots{state="warming"}': 20,
    'mcr_shard_slots{state="draining"}': 4,
    mcr_shard_group_slots: 1_024,
    mcr_shard_replicas: 2,
    mcr_shard_plan_epoch: 3,
    mcr_shard_fence_open: 1,
    mcr_shard_plans_total: 2,
    mcr_shard_evictions_total: 1,
    mcr_shard_refused_writes_total: 7,
    mcr_shard_handovers_total: 520,
    mcr_shard_handover_seconds_total: 2.6,
  };
  expect(await samples()).toEqual(expected);
  sharding.reported = { fence: 'closed', plans: 5 };
  expect(await samples()).toEqual({ ...expected, mcr_shard_fence_open: 0, mcr_shard_plans_total: 5 });
});
