// The dashboards in packages/core/monitoring/grafana, which scripts/dashboards.mjs writes.
import { dashboard, graph, number } from './grafana.mjs';

/** Selects the series of the program that the dashboard shows. */
const program = 'namespace="$namespace", job="$job"';

const of = (metric, labels = '') => `${metric}{${program}${labels && `, ${labels}`}}`;
const rate = (metric, labels) => `rate(${of(metric, labels)}[$__rate_interval])`;
const sum = (by, value) => `sum${by && ` by (${by})`} (${value})`;
const max = (by, value) => `max${by && ` by (${by})`} (${value})`;
const quantile = (q, by, metric) => `histogram_quantile(${q}, ${sum(`${by}, le`, rate(`${metric}_bucket`))})`;
const median = (by, metric) => quantile('0.5', by, metric);
const p99 = (by, metric) => quantile('0.99', by, metric);
const top = (value) => `topk(10, ${value})`;

const fleet = dashboard({
  uid: 'mcr-fleet',
  title: 'mcr / Fleet',
  description: 'The clusters of a manager, its requests to them and its caches.',
  metric: 'mcr_fleet_clusters',
  rows: [
    [
      'Clusters',
      number('Engaged', 'none', sum('', of('mcr_fleet_clusters', 'phase="Engaged"'))),
      number('Syncing', 'none', sum('', of('mcr_fleet_clusters', 'phase="Syncing"'))),
      number('Unreachable', 'none', sum('', of('mcr_fleet_clusters', 'phase="Unreachable"')), { alarm: 1 }),
      number('Degraded', 'none', sum('', of('mcr_fleet_clusters', 'phase="Degraded"')), { alarm: 1 }),
      number('Parked', 'none', sum('', of('mcr_fleet_isolated_clusters', 'state="parked"')), { alarm: 1 }),
      number('Leaders', 'none', sum('', of('leader_election_master_status')), {
        description: 'Replicas that lead. No data without leader election.',
      }),
      graph(
        'Clusters by phase',
        'none',
        { '{{phase}}': sum('phase', of('mcr_fleet_clusters')) },
        {
          description: 'Each replica counts the clusters that it serves.',
          stacked: true,
        },
      ),
      graph('Slow and parked clusters', 'none', { '{{state}}': sum('state', of('mcr_fleet_isolated_clusters')) }),
      graph(
        'Stale caches',
        's',
        { '{{cluster}}': top(max('cluster', of('mcr_fleet_stale_seconds'))) },
        {
          description: 'Time since a watch last heard from its API server. Only stale clusters have series.',
        },
      ),
      graph('Clusters that became unreachable', 'none', {
        '{{cluster}}': top(sum('cluster', `increase(${of('mcr_fleet_unreachable_total')}[$__rate_interval])`)),
      }),
    ],
    [
      'Requests to API servers',
      graph(
        'Requests by status',
        'reqps',
        { '{{code}}': sum('code', rate('rest_client_requests_total')) },
        {
          stacked: true,
        },
      ),
      graph('Failed requests by server', 'reqps', {
        '{{host}}': top(sum('host', rate('rest_client_requests_total', 'code=~"5..|429|<error>"'))),
      }),
      graph('Duration of requests', 's', {
        '{{verb}} p50': median('verb', 'rest_client_request_duration_seconds'),
        '{{verb}} p99': p99('verb', 'rest_client_request_duration_seconds'),
      }),
      graph('Wait for the own limit', 's', {
        '{{host}} p99': top(p99('host', 'rest_client_rate_limiter_duration_seconds')),
      }),
    ],
    [
      'Caches',
      graph('Objects by kind', 'none', { '{{kind}}': top(sum('kind', of('mcr_cache_objects'))) }),
      graph('Memory by kind', 'bytes', { '{{kind}}': top(sum('kind', of('mcr_cache_memory_bytes'))) }),
      graph('Memory by cluster', 'bytes', { '{{cluster}}': top(sum('cluster', of('mcr_cache_memory_bytes'))) }),
      graph('Decoded objects', 'ops', {
        '{{kind}} decoded': top(sum('kind', rate('mcr_cache_decodes_total'))),
        '{{kind}} found decoded': top(sum('kind', rate('mcr_cache_decode_hits_total'))),
      }),
    ],
  ],
});

const controllers = dashboard({
  uid: 'mcr-controllers',
  title: 'mcr / Controllers',
  description: 'The reconciles of the controllers of a manager, and their queues.',
  metric: 'controller_runtime_max_concurrent_reconciles',
  rows: [
    [
      'Reconciles',
      graph('Reconciles', 'ops', { '{{controller}}': sum('controller', rate('controller_runtime_reconcile_total')) }),
      graph(
        'Reconciles by result',
        'ops',
        { '{{result}}': sum('result', rate('controller_runtime_reconcile_total')) },
        {
          stacked: true,
        },
      ),
      graph('Failures', 'ops', {
        '{{controller}} errors': sum('controller', rate('controller_runtime_reconcile_errors_total')),
        '{{controller}} terminal errors': sum('controller', rate('controller_runtime_terminal_reconcile_errors_total')),
        '{{controller}} panics': sum('controller', rate('controller_runtime_reconcile_panics_total')),
        '{{controller}} timeouts': sum('controller', rate('controller_runtime_reconcile_timeouts_total')),
      }),
      graph('Failures by cluster', 'ops', {
        '{{cluster}}': top(sum('cluster', rate('controller_runtime_reconcile_errors_total'))),
      }),
      graph('Duration of reconciles', 's', {
        '{{controller}} p50': median('controller', 'controller_runtime_reconcile_time_seconds'),
        '{{controller}} p99': p99('controller', 'controller_runtime_reconcile_time_seconds'),
      }),
      graph('Busy workers', 'percentunit', {
        '{{controller}}': `${sum('controller', of('controller_runtime_active_workers'))} / ${sum('controller', of('controller_runtime_max_concurrent_reconciles'))}`,
      }),
    ],
    [
      'Queues',
      graph('Waiting requests', 'none', { '{{controller}}': sum('controller', of('workqueue_depth')) }),
      graph('Time in the queue', 's', {
        '{{controller}} p50': median('controller', 'workqueue_queue_duration_seconds'),
        '{{controller}} p99': p99('controller', 'workqueue_queue_duration_seconds'),
      }),
      graph('Added requests', 'ops', {
        '{{controller}}': sum('controller', rate('workqueue_adds_total')),
        '{{controller}} retries': sum('controller', rate('workqueue_retries_total')),
      }),
      graph('Longest reconcile in progress', 's', {
        '{{controller}}': max('controller', of('workqueue_longest_running_processor_seconds')),
      }),
    ],
  ],
});

const shards = dashboard({
  uid: 'mcr-shards',
  title: 'mcr / Shards',
  description: 'The replicas of a sharded fleet, and the slots that they serve.',
  metric: 'mcr_shard_group_slots',
  rows: [
    [
      'Group',
      number('Replicas', 'none', max('', of('mcr_shard_replicas'))),
      number('Slots', 'none', max('', of('mcr_shard_group_slots'))),
      number(
        'Slots without a replica',
        'none',
        `${max('', of('mcr_shard_group_slots'))} - ${sum('', of('mcr_shard_slots', 'state="active"'))}`,
        { alarm: 1 },
      ),
      number('Closed fences', 'none', `count(${of('mcr_shard_fence_open')}) - ${sum('', of('mcr_shard_fence_open'))}`, {
        description: 'Replicas that may not write to their clusters.',
        alarm: 1,
      }),
      graph(
        'Active slots by replica',
        'none',
        {
          '{{pod}}': sum('pod', of('mcr_shard_slots', 'state="active"')),
        },
        { stacked: true },
      ),
      graph('Slots that change their replica', 'none', {
        '{{pod}} {{state}}': sum('pod, state', of('mcr_shard_slots', 'state!="active"')),
      }),
    ],
    [
      'Handovers',
      graph('Handovers', 'ops', { '{{pod}}': sum('pod', rate('mcr_shard_handovers_total')) }),
      graph('Duration of handovers', 's', {
        average: `${sum('', rate('mcr_shard_handover_seconds_total'))} / ${sum('', rate('mcr_shard_handovers_total'))}`,
      }),
      graph('Plans and evictions', 'ops', {
        plans: sum('', rate('mcr_shard_plans_total')),
        evictions: sum('', rate('mcr_shard_evictions_total')),
      }),
      graph('Writes that fences refused', 'ops', { '{{pod}}': sum('pod', rate('mcr_shard_refused_writes_total')) }),
      graph(
        'Epoch of the plan',
        'none',
        { '{{pod}}': max('pod', of('mcr_shard_plan_epoch')) },
        {
          description: 'A replica whose line is lower acts on an old plan.',
        },
      ),
    ],
  ],
});

const webhooks = dashboard({
  uid: 'mcr-webhooks',
  title: 'mcr / Webhooks',
  description: 'The requests of API servers to the webhooks of a manager.',
  metric: 'controller_runtime_webhook_requests_total',
  rows: [
    [
      'Requests',
      graph('Requests', 'reqps', {
        '{{webhook}}': sum('webhook', rate('controller_runtime_webhook_requests_total')),
      }),
      graph(
        'Requests by status',
        'reqps',
        {
          '{{code}}': sum('code', rate('controller_runtime_webhook_requests_total')),
        },
        { stacked: true },
      ),
      graph('Time to an answer', 's', {
        '{{webhook}} p50': median('webhook', 'controller_runtime_webhook_latency_seconds'),
        '{{webhook}} p99': p99('webhook', 'controller_runtime_webhook_latency_seconds'),
      }),
      graph('Requests in progress', 'none', {
        '{{webhook}}': sum('webhook', of('controller_runtime_webhook_requests_in_flight')),
      }),
      graph('Handlers that threw', 'ops', {
        '{{webhook}}': sum('webhook', rate('controller_runtime_webhook_panics_total')),
      }),
    ],
  ],
});

export const dashboards = { fleet, controllers, shards, webhooks };
