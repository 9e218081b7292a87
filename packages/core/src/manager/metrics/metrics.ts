import type { ClientMetrics } from '@mcr/client';
import type { Registry } from 'prom-client';
import type { Fleet } from '../../fleet/status/fleet.ts';
import type { ClusterName } from '../../fleet/multicluster/cluster-name.ts';
import type { ShardingStatus } from '../../sharding/sharding.ts';
import type { MeasuredCache } from './cache-figures.ts';
import type { ControllerMetrics } from './controller-metrics.ts';
import type { WebhookMetrics } from './webhook-metrics.ts';

/** Metrics of a manager. */
export interface Metrics {
  /** The registry of this manager, to which programs can add their own metrics. */
  readonly registry: Registry;
  /** Receives the requests to the API servers of all clusters. */
  readonly client: ClientMetrics;
  /** Returns the metrics of the controller `name`. */
  controller(name: string): ControllerMetrics;
  /** Adds the metrics of a fleet, whose status is read together with the metrics. */
  fleet(fleet: Pick<Fleet, 'list'>): void;
  /** Adds the metrics of caches. @param caches returns the caches of all engaged clusters, when the metrics are read. */
  caches(caches: () => Iterable<MeasuredCache>): void;
  /** Counts that a cluster became unreachable. */
  clusterUnreachable(cluster: ClusterName): void;
  /** Counts that the circuit breaker of a cluster opened. */
  clusterParked(cluster: ClusterName): void;
  /** Adds the metrics of leader election for the Lease `id`. @param isLeader called when the metrics are read. */
  leaderElection(id: string, isLeader: () => boolean): void;
  /** Adds the metrics of a sharded fleet. @param status called when the metrics are read. */
  sharding(status: () => ShardingStatus): void;
  /** Returns the metrics of webhooks. They exist from the first call. */
  webhooks(): WebhookMetrics;
}
