import type { Cluster } from '../cluster/cluster.ts';
import type { ClusterName } from './cluster-name.ts';

/** Takes part in the engagement of clusters: the manager, every controller, and runnables that want to know. */
export interface Aware {
  /**
   * Begins to work with a cluster, until `signal` aborts. Never waits for the cluster: what it starts goes on in the
   * background, with deadlines of its own. The same live instance again is a no-op; another instance under the name
   * replaces the first. (Upstream: `multicluster.Aware`.)
   */
  engage(name: ClusterName, cluster: Cluster, signal: AbortSignal): Promise<void>;
  /** Takes note of a cluster that is not engaged, so that the fleet status can say why. */
  report?(name: ClusterName, observation: ClusterObservation): void;
}

/** What a provider knows of a cluster that is not engaged (yet, or any more). */
export interface ClusterObservation {
  readonly phase: 'Discovered' | 'Connecting' | 'Unreachable' | 'Disengaged';
  /** One sentence for the person on call. Never a credential. */
  readonly reason: string;
  readonly error?: Error;
}
