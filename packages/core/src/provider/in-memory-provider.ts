import type { IndexExtractor, Kind, KubernetesObject } from '@mcr/client';
import { Backoff, sleep, systemClock, untilAborted } from '@mcr/client';
import type { Cluster } from '../fleet/cluster/cluster.ts';
import { checkCluster } from '../manager/check-arguments.ts';
import { partText } from '../manager/claims.ts';
import type { Aware } from '../fleet/multicluster/aware.ts';
import type { ClusterName } from '../fleet/multicluster/cluster-name.ts';
import type { Provider } from '../manager/provider.ts';
import type { ClustersOptions } from '../fleet/clusters/clusters.ts';
import type { ClusterDeclaration } from '../fleet/clusters/cluster-declaration.ts';
import { declarationOf, madeOnDemand } from '../fleet/clusters/cluster-declaration.ts';
import { Clusters } from '../fleet/clusters/clusters.ts';
import { oneRun } from './one-run.ts';

/** Backoff before a cluster that stopped by itself is started again, in milliseconds. */
const RESTART = { base: 1_000, max: 300_000 };

/** The value set for a name. */
interface Entry<C extends Cluster> {
  readonly declaration: ClusterDeclaration<C>;
  /** Whether the declaration makes a new cluster each time. */
  readonly canRestart: boolean;
  readonly backoff: Backoff;
}

/**
 * Provider of clusters that the program sets. It is a minimal provider, and can be the starting point for another one.
 * (Upstream: `providers/clusters`.)
 */
export class InMemoryProvider<C extends Cluster = Cluster> implements Provider {
  readonly #clusters: Clusters<C>;
  readonly #options: ClustersOptions;
  /** The desired clusters. Those that are set before {@link run} are engaged when it is called. */
  readonly #desired = new Map<ClusterName, Entry<C>>();
  #engage: (name: ClusterName, entry: Entry<C>) => void = () => undefined;
  #restart: (name: ClusterName) => Promise<void> = async () => undefined;

  constructor(options: ClustersOptions = {}) {
    this.#options = options;
    this.#clusters = new Clusters({
      ...options,
      onError: (error, name) => {
        options.onError?.(error, name);
        void this.#restart(name);
      },
    });
  }

  /**
   * Adds a cluster, or replaces the cluster with that name. The cluster is engaged once it answers.
   *
   * @param cluster a cluster, or a function that returns a new one at each call. With a function, a cluster that
   * stopped by itself is replaced after 1 s to 5 min. A cluster object runs only once: if it stops by itself, or comes
   * back from another process, it stays disengaged, and the fleet status and the log show the reason.
   * @throws {TypeError} if `name` is not a string, or `cluster` is neither a cluster nor a function.
   */
  set(name: ClusterName, cluster: C | (() => C)): void {
    const canRestart = typeof cluster === 'function';
    if (!canRestart) checkCluster('provider.set', name, cluster);
    const { random } = this.#options;
    const entry: Entry<C> = {
      declaration: canRestart ? madeOnDemand(cluster) : declarationOf(cluster),
      canRestart,
      backoff: new Backoff({ ...RESTART, ...(random && { random }) }),
    };
    this.#desired.set(name, entry);
    this.#engage(name, entry);
  }

  /**
   * Removes a cluster. Resolves when it has stopped.
   *
   * @param options.reason shown in the fleet status and logs. Default: `it was removed`.
   */
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

  /** @throws {TypeError} if it is running already. */
  async run(aware: Aware, signal: AbortSignal): Promise<void> {
    await oneRun(this, partText('provider', this), () => this.#run(aware, signal));
  }

  async #run(aware: Aware, signal: AbortSignal): Promise<void> {
    this.#engage = (name, entry) => this.#clusters.ensure(name, entry.declaration, aware, signal);
    this.#restart = (name) => this.#startAgain(name, signal);
    for (const [name, entry] of this.#desired) this.#engage(name, entry);
    await untilAborted(signal);
    this.#engage = () => undefined;
    this.#restart = async () => undefined;
    await this.#clusters.removeAll();
  }

  /** Starts a cluster again after it stopped by itself, unless it was replaced or removed in the meantime. */
  async #startAgain(name: ClusterName, signal: AbortSignal): Promise<void> {
    const entry = this.#desired.get(name);
    if (!entry?.canRestart || this.#clusters.has(name)) return;
    const { clock = systemClock } = this.#options;
    await sleep(typeof clock === 'function' ? clock() : clock, entry.backoff.next(), signal).catch(() => undefined);
    if (signal.aborted || this.#desired.get(name) !== entry || this.#clusters.has(name)) return;
    this.#engage(name, entry);
  }
}
