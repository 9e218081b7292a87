import type { Cluster } from '../fleet/cluster/cluster.ts';
import type { Runnable } from './runnable.ts';
import type { Aware } from '../fleet/multicluster/aware.ts';
import type { ClusterName } from '../fleet/multicluster/cluster-name.ts';
import { ClusterNotFoundError } from '../fleet/multicluster/cluster-not-found-error.ts';

/**
 * The engaged clusters by name, for code that is no controller: added to a manager, it follows the engagements; it can
 * be kept by hand as well. It runs nothing, and stops nothing.
 */
export class EngagedClusters<C extends Cluster = Cluster> implements Runnable, Aware {
  readonly engageLocal: boolean;
  readonly #clusters = new Map<ClusterName, C>();

  /** @param options.engageLocal whether it includes the manager's local cluster `''`. Default: false. */
  constructor({ engageLocal = false }: { readonly engageLocal?: boolean } = {}) {
    this.engageLocal = engageLocal;
  }

  /** @throws {TypeError} if a cluster with this name exists. */
  add(name: ClusterName, cluster: C): void {
    if (this.#clusters.has(name))
      throw new TypeError(`cluster ${JSON.stringify(name)} exists already: use addOrReplace to change it`);
    this.#clusters.set(name, cluster);
  }

  addOrReplace(name: ClusterName, cluster: C): void {
    this.#clusters.set(name, cluster);
  }

  /** `false`: there was none of that name. */
  remove(name: ClusterName): boolean {
    return this.#clusters.delete(name);
  }

  /** Removes `cluster`, but not another instance that has taken its name meanwhile. `false`: it was not there. */
  removeIfSame(name: ClusterName, cluster: C): boolean {
    return this.#clusters.get(name) === cluster && this.#clusters.delete(name);
  }

  /** @throws {ClusterNotFoundError} when there is none of that name. */
  get(name: ClusterName): C {
    const cluster = this.#clusters.get(name);
    if (!cluster) throw new ClusterNotFoundError(name);
    return cluster;
  }

  /** Sorted. */
  clusterNames(): ClusterName[] {
    return [...this.#clusters.keys()].sort();
  }

  /** Visits the clusters that there are now, by name; what `visit` adds or removes changes nothing in that. */
  forEach(visit: (name: ClusterName, cluster: C) => void): void {
    const clusters = [...this.#clusters].sort(([a], [b]) => (a < b ? -1 : 1));
    for (const [name, cluster] of clusters) visit(name, cluster);
  }

  /** Keeps `cluster` until `signal` aborts. */
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
