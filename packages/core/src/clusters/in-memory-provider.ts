import type { IndexExtractor, Kind, KubernetesObject } from '@mcr/client';
import { untilAborted } from '@mcr/client';
import type { Cluster } from '../cluster/cluster.ts';
import type { Aware } from '../multicluster/aware.ts';
import type { ClusterName } from '../multicluster/cluster-name.ts';
import type { Provider } from '../multicluster/provider.ts';
import type { ClustersOptions } from './clusters.ts';
import { Clusters } from './clusters.ts';

/**
 * A provider whose clusters are set by code, and the least that a provider is: a starting point for others.
 * (Upstream: `providers/clusters`.)
 */
export class InMemoryProvider<C extends Cluster = Cluster> implements Provider {
  readonly #clusters: Clusters<C>;
  /** The clusters that were set and not deleted. Those that are set before {@link run} wait for it. */
  readonly #desired = new Map<ClusterName, C>();
  #engage: (name: ClusterName, cluster: C) => void = () => undefined;

  constructor(options: ClustersOptions<C> = {}) {
    this.#clusters = new Clusters(options);
  }

  /**
   * Adds a cluster, or changes the one of that name; it is engaged once it answers. A cluster runs once: after {@link run}
   * has ended, set new ones before the provider runs again.
   */
  set(name: ClusterName, cluster: C): void {
    this.#desired.set(name, cluster);
    this.#engage(name, cluster);
  }

  /** Resolves when the cluster has stopped. */
  async delete(name: ClusterName, options?: { readonly reason?: string }): Promise<void> {
    this.#desired.delete(name);
    await this.#clusters.remove(name, options);
  }

  async get(name: ClusterName): Promise<C> {
    return this.#clusters.get(name);
  }

  clusterNames(): ClusterName[] {
    return this.#clusters.clusterNames();
  }

  async indexField<T extends KubernetesObject>(kind: Kind<T>, name: string, extract: IndexExtractor<T>): Promise<void> {
    await this.#clusters.indexField(kind, name, extract);
  }

  async run(aware: Aware, signal: AbortSignal): Promise<void> {
    this.#engage = (name, cluster) => this.#clusters.ensure(name, cluster, aware, signal);
    for (const [name, cluster] of this.#desired) this.#engage(name, cluster);
    await untilAborted(signal);
    this.#engage = () => undefined;
    // A cluster runs once.
    this.#desired.clear();
    await this.#clusters.removeAll();
  }
}
