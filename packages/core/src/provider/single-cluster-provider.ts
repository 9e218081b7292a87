import type { IndexExtractor, Kind, KubernetesObject } from '@mcr/client';
import { untilAborted } from '@mcr/client';
import type { Cluster } from '../fleet/cluster/cluster.ts';
import { checkCluster } from '../manager/check-arguments.ts';
import { partText } from '../manager/claims.ts';
import type { Aware } from '../fleet/multicluster/aware.ts';
import type { ClusterName } from '../fleet/multicluster/cluster-name.ts';
import { ClusterNotFoundError } from '../fleet/multicluster/cluster-not-found-error.ts';
import type { Provider } from '../manager/provider.ts';
import { oneRun } from './one-run.ts';

/** Provider of a fleet of one cluster, which the caller runs. (Upstream: `providers/single`.) */
export class SingleClusterProvider implements Provider {
  readonly #name: ClusterName;
  readonly #cluster: Cluster;

  /**
   * @param cluster run and stopped by the caller.
   * @throws {TypeError} if `name` is not a string, or `cluster` is not a cluster.
   */
  constructor(name: ClusterName, cluster: Cluster) {
    checkCluster('SingleClusterProvider', name, cluster);
    this.#name = name;
    this.#cluster = cluster;
  }

  async get(name: ClusterName): Promise<Cluster> {
    if (name !== this.#name) throw new ClusterNotFoundError(name);
    return this.#cluster;
  }

  clusterNames(): ClusterName[] {
    return [this.#name];
  }

  async indexField<T extends KubernetesObject>(kind: Kind<T>, name: string, extract: IndexExtractor<T>): Promise<void> {
    await this.#cluster.fieldIndexer.indexField(kind, name, extract);
  }

  /** @throws {TypeError} if it is running already. */
  async run(aware: Aware, signal: AbortSignal): Promise<void> {
    await oneRun(this, partText('provider', this), async () => {
      await aware.engage(this.#name, this.#cluster, signal);
      await untilAborted(signal);
    });
  }
}

/**
 * Creates a provider for a fleet of one cluster.
 *
 * @param cluster run and stopped by the caller.
 * @throws {TypeError} if `name` is not a string, or `cluster` is not a cluster.
 */
export function createSingleClusterProvider(name: ClusterName, cluster: Cluster): SingleClusterProvider {
  return new SingleClusterProvider(name, cluster);
}
