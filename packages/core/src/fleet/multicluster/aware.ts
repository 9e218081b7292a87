import type { Cluster } from '../cluster/cluster.ts';
import type { ClusterName } from './cluster-name.ts';

/** A component that clusters are engaged with: the manager, every controller, and runnables that follow the fleet. */
export interface Aware {
  /**
   * Starts to serve a cluster until `signal` aborts. It does not wait for the cluster: work continues in the
   * background, with its own deadlines. Engaging the same instance again has no effect. Another instance under the same
   * name replaces the previous one. (Upstream: `multicluster.Aware`.)
   */
  engage(name: ClusterName, cluster: Cluster, signal: AbortSignal): Promise<void>;
  /** Records why a cluster is not engaged, for the fleet status. */
  report?(name: ClusterName, observation: ClusterObservation): void;
}

/** A provider's report about a cluster that is not engaged. */
export interface ClusterObservation {
  readonly phase: 'Discovered' | 'Connecting' | 'Unreachable' | 'Disengaged';
  /** One sentence, shown in the fleet status and logs. Must not contain credentials. */
  readonly reason: string;
  readonly error?: Error;
}
