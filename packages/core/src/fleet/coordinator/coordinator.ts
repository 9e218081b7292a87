import type { Cluster } from '../cluster/cluster.ts';
import type { Aware } from '../multicluster/aware.ts';
import type { ClusterName } from '../multicluster/cluster-name.ts';

/** Whether this process serves a cluster. `declined` is the reason, which the fleet status shows. */
export type Decision = 'accepted' | { readonly declined: string };

/** Options of {@link Coordinator.engage}. */
export interface CoordinatorEngageOptions {
  /**
   * Notifies the manager whether this process serves the cluster. The coordinator may call it at any time until the
   * engagement ends, also before {@link Coordinator.engage} resolves. Until the first call, the cluster is served. The
   * manager's `getCluster` refuses a declined cluster, and the manager does not check its health. The coordinator itself
   * starts and ends the engagements with its components.
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
