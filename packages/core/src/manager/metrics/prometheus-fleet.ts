import type { Clock } from '@mcr/client';
import type { Gauge } from 'prom-client';
import type { ClusterPhase, ClusterStatus, Fleet } from '../../fleet/status/fleet.ts';
import type { BoundedLabel } from './bounded-label.ts';

/** Registers a gauge. `collect` is called when the metrics are read. */
export type NewGauge = (name: string, help: string, labelNames: readonly string[], collect: () => void) => Gauge;

export interface FleetMetricsOptions {
  readonly gauge: NewGauge;
  readonly clusterLabel: BoundedLabel;
  readonly clock: Clock;
}

const PHASES: readonly ClusterPhase[] = [
  'Discovered',
  'Connecting',
  'Syncing',
  'Engaged',
  'Degraded',
  'Unreachable',
  'Disengaged',
];

/** Registers the metrics that are read from the fleet status. */
export function registerFleetMetrics(
  fleet: Pick<Fleet, 'list'>,
  { gauge, clusterLabel, clock }: FleetMetricsOptions,
): void {
  const clusters = gauge(
    'mcr_fleet_clusters',
    'Number of clusters by phase, including remembered clusters that were disengaged.',
    ['phase'],
    () => {
      const phases = Map.groupBy(fleet.list(), ({ phase }) => phase);
      for (const phase of PHASES) clusters.set({ phase }, phases.get(phase)?.length ?? 0);
    },
  );
  const isolated = gauge(
    'mcr_fleet_isolated_clusters',
    'Number of engaged clusters whose reconciles are restricted, by state.',
    ['state'],
    () => {
      const states = Map.groupBy(fleet.list(), ({ isolation }) => isolation?.state);
      for (const state of ['slow', 'parked'] as const) isolated.set({ state }, states.get(state)?.length ?? 0);
    },
  );

  /** Registers a gauge with a series for each cluster that has a duration. Clusters with one label show the longest. */
  const durations = (
    name: string,
    help: string,
    of: (
      status: ClusterStatus,
    ) => { readonly milliseconds: number; readonly labels?: Record<string, string> } | undefined,
    labelNames: readonly string[] = [],
  ): void => {
    const metric = gauge(name, help, ['cluster', ...labelNames], () => {
      metric.reset();
      const found = fleet.list().flatMap((status) => {
        const duration = of(status);
        return duration ? [{ cluster: clusterLabel.of(status.name), ...duration }] : [];
      });
      found.sort((a, b) => a.milliseconds - b.milliseconds);
      for (const { cluster, labels, milliseconds } of found) metric.set({ cluster, ...labels }, milliseconds / 1_000);
    });
  };
  durations(
    'mcr_fleet_isolated_seconds',
    'Time in seconds for which the reconciles of a cluster have been restricted, by state.',
    ({ isolation }) =>
      isolation && { milliseconds: clock.wallTime() - isolation.since, labels: { state: isolation.state } },
    ['state'],
  );
  durations(
    'mcr_fleet_stale_seconds',
    'Time in seconds since a watch of a stale cluster last heard from its API server; the longest of its watches.',
    ({ sources }) => {
      const milliseconds = Math.max(0, ...Object.values(sources).map(({ staleFor = 0 }) => staleFor));
      return milliseconds > 0 ? { milliseconds } : undefined;
    },
  );
}
