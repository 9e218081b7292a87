import type { ShardingStatus } from '../../sharding/sharding.ts';
import type { NewCounter } from './prometheus-caches.ts';
import type { NewGauge } from './prometheus-fleet.ts';

export interface ShardMetricsOptions {
  readonly gauge: NewGauge;
  readonly counter: NewCounter;
}

/** Registers the metrics that are read from the state of a replica and its group. */
export function registerShardMetrics(status: () => ShardingStatus, { gauge, counter }: ShardMetricsOptions): void {
  const slots = gauge('mcr_shard_slots', 'Number of slots that this replica serves, by state.', ['state'], () => {
    for (const [state, count] of Object.entries(status().held)) slots.set({ state }, count);
  });
  const value = (name: string, help: string, of: (status: ShardingStatus) => number): void => {
    const metric = gauge(name, help, [], () => metric.set(of(status())));
  };
  value('mcr_shard_group_slots', 'Number of slots of the group.', (group) => group.slots);
  value('mcr_shard_replicas', 'Number of replicas in the plan.', ({ replicas }) => replicas.length);
  value('mcr_shard_plan_epoch', 'Epoch of the plan that this replica acts on.', ({ epoch }) => epoch);
  value(
    'mcr_shard_fence_open',
    'Whether this replica may write to the clusters that it owns (1) or not (0).',
    ({ fence }) => (fence === 'open' ? 1 : 0),
  );
  const total = (name: string, help: string, of: (status: ShardingStatus) => number): void => {
    const metric = counter(name, help, [], () => {
      metric.reset();
      metric.inc(of(status()));
    });
  };
  total('mcr_shard_plans_total', 'Total number of plans that this replica wrote.', ({ plans }) => plans);
  total(
    'mcr_shard_evictions_total',
    'Total number of members that this replica evicted.',
    ({ evictions }) => evictions,
  );
  total(
    'mcr_shard_refused_writes_total',
    'Total number of writes that the fence of this replica refused.',
    ({ refusedWrites }) => refusedWrites,
  );
  total(
    'mcr_shard_handovers_total',
    'Total number of slots that this replica took over from another one, or from none.',
    ({ handovers }) => handovers.count,
  );
  total(
    'mcr_shard_handover_seconds_total',
    'Total time in seconds from the start of the preparation of a slot until this replica owned it.',
    ({ handovers }) => handovers.milliseconds / 1_000,
  );
}
