import type { ClientMetrics } from '@mcr/client';
import type { Registry } from 'prom-client';
import type { Fleet } from '../../fleet/status/fleet.ts';
import type { ClusterName } from '../../fleet/multicluster/cluster-name.ts';
import type { ControllerMetrics } from './controller-metrics.ts';

/** Where the parts of a manager count what they do. */
export interface Metrics {
  /** Of this manager alone. Metrics of your own go here, too. */
  readonly registry: Registry;
  /** Of the requests to the API servers of all clusters. */
  readonly client: ClientMetrics;
  /** Of the controller of that name. */
  controller(name: string): ControllerMetrics;
  /** Of the fleet, whose state is read when the metrics are. */
  fleet(fleet: Pick<Fleet, 'list'>): void;
  /** A cluster became unreachable. */
  clusterUnreachable(cluster: ClusterName): void;
  /** The circuit breaker of a cluster has opened. */
  clusterParked(cluster: ClusterName): void;
  /** @param isLeader asked when the metrics are read. */
  leaderElection(id: string, isLeader: () => boolean): void;
}
