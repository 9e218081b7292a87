import type { Cluster } from '../cluster/cluster.ts';
import type { Aware } from '../multicluster/aware.ts';
import type { ClusterName } from '../multicluster/cluster-name.ts';

/** Whether this process serves a cluster; the reason is shown in the fleet status. */
export type Decision = 'accepted' | { readonly declined: string };

export interface CoordinatorEngageOptions {
  /**
   * Notifies the manager that this process does not serve the cluster, or serves it again. May be called before {@link
   * Coordinator.engage} resolves, and at any time until the engagement ends. `getCluster` refuses a declined cluster,
   * and its health is not checked. The coordinator starts and ends the engagements with its components itself. Default:
   * `accepted`.
   */
  readonly decide: (decision: Decision) => void;
}

/** Decides which controllers work on which clusters. (Upstream: `mcmanager.Coordinator`.) */
export interface Coordinator {
  /**
   * Adds a component and engages all current and future clusters with it.
   *
   * @param options.signal removes `aware` when it aborts. Default: never.
   */
  addAware(aware: Pick<Aware, 'engage'>, options?: { readonly signal?: AbortSignal }): Promise<void>;
  /** Engages a cluster with the components, or declines it. Rejects if a component refuses it. */
  engage(name: ClusterName, cluster: Cluster, signal: AbortSignal, options: CoordinatorEngageOptions): Promise<void>;
  /** Runs the coordinator's background work until `signal` aborts. */
  run?(signal: AbortSignal): Promise<void>;
}
