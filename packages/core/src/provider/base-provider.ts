import type { Clock, IndexExtractor, Kind, KubernetesObject, LogFields, Logger } from '@mcr/client';
import { Backoff, Namespace, sleep, untilAborted } from '@mcr/client';
import type { Cluster } from '../fleet/cluster/cluster.ts';
import { partText } from '../manager/claims.ts';
import type { Manager } from '../manager/manager.ts';
import type { Aware } from '../fleet/multicluster/aware.ts';
import type { ClusterName } from '../fleet/multicluster/cluster-name.ts';
import type { Permission } from '../permissions/permission.ts';
import type { Provider } from '../manager/provider.ts';
import type { BaseProviderOptions } from './discovered-clusters.ts';
import { DiscoveredClusters } from './discovered-clusters.ts';
import { oneRun } from './one-run.ts';

/** Backoff of a discovery that fails, in milliseconds. It is reset once a discovery has run for `max`. */
const RETRY = { base: 1_000, max: 60_000 };

/**
 * Base class of providers whose inventory has one entry for each cluster. A subclass implements {@link discover} and
 * passes what it finds to {@link clusters}, which creates, engages, rotates and disengages the clusters.
 */
export abstract class BaseProvider implements Provider {
  /** The clusters that the provider has discovered. */
  protected readonly clusters: DiscoveredClusters;
  #manager: Manager | undefined;
  #hasReadInventory = false;

  constructor(options: BaseProviderOptions = {}) {
    this.clusters = new DiscoveredClusters({
      ...options,
      manager: () => this.#manager,
      rediscover: (name) => this.rediscover(name),
    });
  }

  /**
   * Reads the inventory, and keeps {@link clusters} up to date until the signal aborts. It may resolve earlier: the
   * clusters stay engaged.
   *
   * @throws any error that prevents the discovery. If the provider has clusters, it keeps them and calls `discover`
   * again with backoff: 1 s, doubling up to 1 min. Otherwise, {@link run} rejects with the error.
   */
  protected abstract discover(signal: AbortSignal): Promise<void>;

  /**
   * Discovers a cluster again. Called 5 s after the cluster stopped by itself or its engagement was refused. Default: no
   * effect, because a provider that polls sets the cluster again at its next poll.
   */
  protected rediscover(_name: ClusterName): void {
    return undefined;
  }

  /**
   * Records that the inventory was read completely. Logs a message if the first read found no cluster.
   *
   * @param inventory log fields that identify the inventory: a path, or a namespace and a label selector.
   */
  protected inventoryRead(inventory: LogFields): void {
    if (this.#hasReadInventory || !this.clusters.isOpen) return;
    this.#hasReadInventory = true;
    if (this.clusters.names().length === 0) this.log.info('no clusters found in the inventory', inventory);
  }

  /** The manager that runs the provider, or `undefined` if the provider runs without one. */
  protected get manager(): Manager | undefined {
    return this.#manager;
  }

  /** Clock of the provider. Default: `clusterOptions.clock`, then the clock of the manager, then the system clock. */
  protected get clock(): Clock {
    return this.clusters.clock;
  }

  /** Logger of the manager. Without a manager, it discards everything. */
  protected get log(): Logger {
    return this.clusters.log;
  }

  async get(name: ClusterName): Promise<Cluster> {
    return this.clusters.get(name);
  }

  clusterNames(): ClusterName[] {
    return this.clusters.clusterNames();
  }

  async indexField<T extends KubernetesObject>(kind: Kind<T>, name: string, extract: IndexExtractor<T>): Promise<void> {
    await this.clusters.indexField(kind, name, extract);
  }

  /** Returns the permission that tells whether a cluster at a new endpoint is the same. */
  permissions(): Permission[] {
    return [{ kind: Namespace, names: ['kube-system'], verbs: ['get'], in: 'members' }];
  }

  async setupWithManager(manager: Manager): Promise<void> {
    this.#manager = manager;
  }

  /**
   * Discovers and engages clusters until the signal aborts. Resolves when every cluster has stopped.
   *
   * @throws {TypeError} if the provider is running already.
   * @throws the error of {@link discover}, if it fails while the provider has no clusters.
   */
  async run(aware: Aware, signal: AbortSignal): Promise<void> {
    await oneRun(this, partText('provider', this), () => this.#run(aware, signal));
  }

  async #run(aware: Aware, signal: AbortSignal): Promise<void> {
    const hasEnded = () => signal.aborted;
    const backoff = new Backoff(RETRY);
    this.#hasReadInventory = false;
    this.clusters.open({ aware, signal });
    try {
      while (!hasEnded()) {
        const began = this.clock.now();
        try {
          await this.discover(signal);
          await untilAborted(signal);
        } catch (error) {
          // A discovery that observes the signal may reject with its reason.
          if (hasEnded()) return;
          if (!this.clusters.names().some((name) => this.clusters.has(name))) throw error;
          if (this.clock.now() - began >= RETRY.max) backoff.reset();
          await this.#retry(error as Error, backoff, signal);
        }
      }
    } finally {
      await this.clusters.close();
    }
  }

  async #retry(error: Error, backoff: Backoff, signal: AbortSignal): Promise<void> {
    const retryIn = Math.round(backoff.next());
    const level = backoff.failures === 1 ? 'error' : 'debug';
    this.log[level]('discovery failed, keeping the clusters and retrying', { error, retryIn });
    this.clusters.discoveryFailed(error);
    await sleep(this.clock, retryIn, signal).then(
      () => this.clusters.discoveryResumed(),
      () => undefined,
    );
  }
}
