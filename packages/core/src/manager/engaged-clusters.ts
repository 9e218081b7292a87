import type { Cluster } from '../fleet/cluster/cluster.ts';
import type { Runnable } from './runnable.ts';
import type { Aware } from '../fleet/multicluster/aware.ts';
import type { ClusterName } from '../fleet/multicluster/cluster-name.ts';
import { ClusterNotFoundError } from '../fleet/multicluster/cluster-not-found-error.ts';

/**
 * The engaged clusters by name, for code outside of controllers. Add it to a manager to follow the engagements, or add
 * and remove clusters yourself. It neither runs nor stops clusters.
 */
export class EngagedClusters<C extends Cluster = Cluster> implements Runnable, Aware {
  readonly engageLocal: boolean;
  readonly #clusters = new Map<ClusterName, C>();

  /** @param options.engageLocal whether to include the manager's local cluster `''`. Default: false. */
  constructor({ engageLocal = false }: { readonly engageLocal?: boolean } = {}) {
    this.engageLocal = engageLocal;
  }

  /** Adds a cluster. @throws {TypeError} if a cluster with this name exists. */
  add(name: ClusterName, cluster: C): void {
    if (this.#clusters.has(name))
      throw new TypeError(`cluster ${JSON.stringify(name)} exists already: use addOrReplace to change it`);
    this.#clusters.set(name, cluster);
  }

  /** Adds a cluster, or replaces the cluster with this name. */
  addOrReplace(name: ClusterName, cluster: C): void {
    this.#clusters.set(name, cluster);
  }

  /** Removes a cluster. Returns `false` if no cluster has this name. */
  remove(name: ClusterName): boolean {
    return this.#clusters.delete(name);
  }

  /** Removes `cluster`, but not another instance with the same name. Returns `false` if it was not included. */
  removeIfSame(name: ClusterName, cluster: C): boolean {
    return this.#clusters.get(name) === cluster && this.#clusters.delete(name);
  }

  /** Returns the cluster with this name. @throws {ClusterNotFoundError} if it is not engaged. */
  get(name: ClusterName): C {
    const cluster = this.#clusters.get(name);
    if (!cluster) throw new ClusterNotFoundError(name);
    return cluster;
  }

  /** Returns the names, sorted. */
  clusterNames(): ClusterName[] {
    return [...this.#clusters.keys()].sort();
  }

  /** Calls `visit` for each current cluster, sorted by name. Changes by `visit` do not affect the iteration. */
  forEach(visit: (name: ClusterName, cluster: C) => void): void {
    const clusters = [...this.#clusters].sort(([a], [b]) => (a < b ? -1 : 1));
    for (const [name, cluster] of clusters) visit(name, cluster);
  }

  /** Includes `cluster` until `signal` aborts. */
  async engage(name: ClusterName, cluster: C, signal: AbortSignal): Promise<void> {
    if (signal.aborted || this.#clusters.get(name) === cluster) return;
    this.addOrReplace(name, cluster);
    signal.addEventListener('abort', () => this.removeIfSame(name, cluster), { once: true });
  }

  async run(signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }
}
