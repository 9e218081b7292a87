import type { Cluster } from '../cluster/cluster.ts';
import type { ClusterName } from './cluster-name.ts';
import type { Ownership } from './ownership.ts';

/** A component that clusters are engaged with, such as the manager, a controller, or a runnable that follows the fleet. */
export interface Aware {
  /**
   * Serves a cluster until `signal` aborts. An implementation does not wait for the cluster: it starts its work in the
   * background, with its own deadlines. Engaging the same instance again has no effect. Another instance under the same
   * name replaces the previous one. (Upstream: `multicluster.Aware`.)
   *
   * @throws any error to refuse the engagement. The caller may retry.
   */
  engage(name: ClusterName, cluster: Cluster, signal: AbortSignal): Promise<void>;
  /** Receives a provider's report about a cluster, which the fleet status shows. Default: reports are ignored. */
  report?(name: ClusterName, observation: ClusterObservation): void;
  /**
   * Receives the labels of a cluster that a provider has discovered, engaged or not. An engaged cluster describes itself
   * afterwards. Default: labels are ignored.
   */
  described?(name: ClusterName, labels: Readonly<Record<string, string>>): void;
  /** Which clusters this process serves. Clusters that it does not serve are not connected. Default: all are served. */
  readonly ownership?: Ownership | undefined;
}

/** A provider's report about a cluster. If the cluster is engaged, its phase stays, and only the reason changes. */
export interface ClusterObservation {
  /** Phase of the cluster if it is not engaged. */
  readonly phase: 'Discovered' | 'Connecting' | 'Unreachable' | 'Disengaged';
  /** One sentence, shown in the fleet status and logs. Must not contain credentials. */
  readonly reason: string;
  /** The problem, if the report is about one. */
  readonly error?: Error;
}
