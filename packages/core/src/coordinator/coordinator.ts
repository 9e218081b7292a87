import type { Cluster } from '../cluster/cluster.ts';
import type { Aware } from '../multicluster/aware.ts';
import type { ClusterName } from '../multicluster/cluster-name.ts';

/** Decides which controllers work on which clusters. (Upstream: `mcmanager.Coordinator`.) */
export interface Coordinator {
  /**
   * Adds whom clusters are engaged with: from now on, and those that are engaged already.
   *
   * @param options.signal takes `aware` out again when it aborts. Default: never.
   */
  addAware(aware: Pick<Aware, 'engage'>, options?: { readonly signal?: AbortSignal }): Promise<void>;
  /** Passes on an engagement. Rejects when one that it was passed on to refused it. */
  engage(name: ClusterName, cluster: Cluster, signal: AbortSignal): Promise<void>;
  /** What the coordinator does in the background, if anything. */
  run?(signal: AbortSignal): Promise<void>;
}
