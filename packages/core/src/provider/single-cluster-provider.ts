import type { IndexExtractor, Kind, KubernetesObject } from '@mcr/client';
import { untilAborted } from '@mcr/client';
import type { Cluster } from '../fleet/cluster/cluster.ts';
import { checkCluster } from '../manager/check-arguments.ts';
import { partText } from '../manager/claims.ts';
import type { Aware } from '../fleet/multicluster/aware.ts';
import type { ClusterName } from '../fleet/multicluster/cluster-name.ts';
import { ClusterNotFoundError } from '../fleet/multicluster/cluster-not-found-error.ts';
import { NotOwnerError } from '../fleet/multicluster/not-owner-error.ts';
import type { Ownership } from '../fleet/multicluster/ownership.ts';
import { Lifetime } from '../fleet/clusters/lifetime.ts';
import type { Provider } from '../manager/provider.ts';
import { oneRun } from './one-run.ts';

/** Provider of a fleet of one cluster, which the caller runs. (Upstream: `providers/single`.) */
export class SingleClusterProvider implements Provider {
  readonly #name: ClusterName;
  readonly #cluster: Cluster;
  /** Set while the provider runs in a sharded fleet. */
  #ownership: Ownership | undefined;

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
    if (this.#isElsewhere) throw new NotOwnerError(name, { owner: this.#ownership?.ownerOf(name) });
    return this.#cluster;
  }

  clusterNames(): ClusterName[] {
    return this.#isElsewhere ? [] : [this.#name];
  }

  async indexField<T extends KubernetesObject>(kind: Kind<T>, name: string, extract: IndexExtractor<T>): Promise<void> {
    await this.#cluster.fieldIndexer.indexField(kind, name, extract);
  }

  /** @throws {TypeError} if it is running already. */
  async run(aware: Aware, signal: AbortSignal): Promise<void> {
    await oneRun(this, partText('provider', this), async () => {
      if (aware.ownership) {
        await this.#runOwned(aware, aware.ownership, signal);
        return;
      }
      await aware.engage(this.#name, this.#cluster, signal);
      await untilAborted(signal);
    });
  }

  get #isElsewhere(): boolean {
    return this.#ownership?.stateOf(this.#name) === 'elsewhere';
  }

  /** Engages the cluster while this process serves it. */
  async #runOwned(aware: Aware, ownership: Ownership, signal: AbortSignal): Promise<void> {
    const name = this.#name;
    const refused = Promise.withResolvers<never>();
    let engagement: Lifetime | undefined;
    const follow = () => {
      if (!this.#isElsewhere) {
        if (engagement) return;
        const current = new Lifetime(signal);
        engagement = current;
        aware.engage(name, this.#cluster, current.signal).catch((error: unknown) => {
          if (!current.signal.aborted) refused.reject(error);
        });
      } else {
        engagement?.end('another replica owns it');
        engagement = undefined;
        aware.report?.(name, { phase: 'Discovered', reason: 'another replica owns it' });
        aware.described?.(name, this.#cluster.info.labels);
      }
    };
    this.#ownership = ownership;
    ownership.declare(name);
    const stop = ownership.onChange((changes) => {
      if (changes.has(name)) follow();
    });
    try {
      follow();
      await Promise.race([untilAborted(signal), refused.promise]);
    } finally {
      stop();
      engagement?.complete();
      ownership.forget(name);
      this.#ownership = undefined;
    }
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
