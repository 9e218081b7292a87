import type { Clock, ClusterConfig, FieldIndexer, IndexExtractor, Kind, KubernetesObject, Logger } from '@mcr/client';
import { silentLogger, sleep, systemClock } from '@mcr/client';
import type { Cluster, ClusterInfo } from '../fleet/cluster/cluster.ts';
import type { ClusterOptions } from '../fleet/cluster/cluster-options.ts';
import { createCluster } from '../fleet/cluster/create-cluster.ts';
import { inheritedOptions } from './inherited-options.ts';
import type { Manager } from '../manager/manager.ts';
import type { Aware } from '../fleet/multicluster/aware.ts';
import type { ClusterName } from '../fleet/multicluster/cluster-name.ts';
import type { ClusterDeclaration } from '../fleet/clusters/cluster-declaration.ts';
import { madeOnDemand } from '../fleet/clusters/cluster-declaration.ts';
import { Clusters } from '../fleet/clusters/clusters.ts';

/** A complete inventory entry, from which the provider can create a cluster. */
export interface DiscoveredCluster {
  /** Digest of the content that {@link config} is made from. Equal digests mean equal configurations. */
  readonly digest: string;
  /**
   * Returns the configuration of the cluster. Called when the digest has changed and this process serves the cluster, or
   * later, when it is to serve it.
   *
   * @throws if the entry is invalid.
   */
  readonly config: () => ClusterConfig;
  /** Changes apply to the engaged cluster. Another `metadata.uid` of `origin` counts as another entry. */
  readonly info: Partial<Omit<ClusterInfo, 'version'>>;
}

/** Options of a provider for creating its clusters. */
export interface BaseProviderOptions {
  /** Options of every cluster: cache, logger, clock, tracer and so on. Default: those of the manager. */
  readonly clusterOptions?: Omit<ClusterOptions, 'name' | 'info'>;
  /** Returns the configuration to use instead of the one in the inventory. Default: the configuration as is. */
  readonly configure?: (config: ClusterConfig) => ClusterConfig;
  /** Creates the clusters. Default: `createCluster`. */
  readonly newCluster?: (config: ClusterConfig, options: ClusterOptions) => Cluster;
}

/** Options of {@link DiscoveredClusters}. */
export interface DiscoveredClustersOptions extends BaseProviderOptions {
  /** Returns the manager that clusters inherit options from. Default: none. */
  readonly manager?: () => Manager | undefined;
  /** Called 5 s after a cluster stopped by itself or its engagement was refused. Default: no effect. */
  readonly rediscover?: (name: ClusterName) => void;
}

/** A run of a provider: the component that clusters are engaged with, and the end of the run. */
export interface Discovery {
  readonly aware: Aware;
  /** Ends every engagement. */
  readonly signal: AbortSignal;
}

/** Delay before a cluster that stopped by itself or was refused is discovered again, in milliseconds. */
const REDISCOVERY_DELAY = 5_000;

/** The latest state of an entry. */
interface Entry {
  /** Identifies the entry; `''` if it cannot be used. */
  readonly version: string;
  /** Why the entry has no cluster, or keeps the previous one. */
  readonly problem?: string;
  /** Why the entry cannot be used. */
  readonly refusal?: Error;
}

/**
 * The clusters of a provider, one for each entry of its inventory. Creates the clusters, keeps a cluster as is when its
 * entry becomes invalid, and reports each problem once.
 */
export class DiscoveredClusters implements FieldIndexer {
  readonly #options: DiscoveredClustersOptions;
  readonly #clusters: Clusters;
  readonly #entries = new Map<ClusterName, Entry>();
  /** Clusters that were lost and are not discovered again yet. */
  readonly #lost = new Set<ClusterName>();
  #discovery: Discovery | undefined;

  constructor(options: DiscoveredClustersOptions = {}) {
    this.#options = options;
    this.#clusters = new Clusters({
      clock: () => this.clock,
      onError: (error, name) => {
        this.log.error('cluster failed', { cluster: name, error });
        if (!this.#clusters.has(name)) this.#onLost(name);
      },
      onUnusable: (error, name) => this.refuse(name, error),
    });
  }

  get clock(): Clock {
    return this.#options.clusterOptions?.clock ?? this.#manager?.clock ?? systemClock;
  }

  get log(): Logger {
    return this.#manager?.logger ?? silentLogger;
  }

  /** Whether clusters can be engaged. While `false`, all changes are ignored. */
  get isOpen(): boolean {
    return this.#discovery !== undefined;
  }

  /** Starts to accept clusters and engage them, until {@link close}. {@link BaseProvider.run} calls it. */
  open({ aware, signal }: Discovery): void {
    this.#discovery = { aware: this.#repeatingRefusals(aware), signal };
  }

  /** Disengages all clusters, and forgets all entries. Resolves when every cluster has stopped. */
  async close(): Promise<void> {
    this.#discovery = undefined;
    this.#entries.clear();
    this.#lost.clear();
    await this.#clusters.removeAll({ reason: 'the provider stops' });
  }

  /**
   * Adds or changes the cluster of an entry. Credentials are rotated in place; another endpoint replaces the cluster. If
   * `config` throws, the entry is refused. An entry with the same digest, labels and properties only updates `origin`. If
   * another process serves the cluster, the latest entry is kept until this process is to serve it.
   */
  set(name: ClusterName, discovered: DiscoveredCluster): void {
    const discovery = this.#discovery;
    const before = this.#entries.get(name);
    const version = versionOf(discovered);
    if (!discovery) return;
    this.#lost.delete(name);
    // If another process serves the cluster, the latest entry is kept instead of its description.
    if (before?.version === version && !this.#isElsewhere(name)) {
      const { labels = {}, properties = {}, origin } = discovered.info;
      this.#clusters.describe(name, { labels, properties, ...(origin && { origin }) });
      return;
    }
    const declaration = this.#declarationOf(name, discovered);
    const isKept = this.#clusters.has(name);
    try {
      this.#clusters.ensure(name, declaration, discovery.aware, discovery.signal);
    } catch (error) {
      this.refuse(name, error as Error);
      return;
    }
    this.#entries.set(name, { version });
    // A new cluster has another report.
    if (before?.problem === undefined || !isKept) return;
    const phase = this.#isElsewhere(name) ? 'Discovered' : 'Connecting';
    this.#report(name, { phase, reason: 'its entry can be used again' });
  }

  /** Reports that an entry cannot be used. If it has a cluster, the cluster is kept as is. */
  refuse(name: ClusterName, error: Error): void {
    if (!this.isOpen || this.#entries.get(name)?.problem === error.message) return;
    this.#lost.delete(name);
    this.#entries.set(name, { version: '', problem: error.message, refusal: error });
    this.#reportRefusal(name, error);
  }

  /**
   * Reports that the cluster of an entry is not ready. If it is engaged, it is disengaged.
   *
   * @param reason shown in the fleet status and logs.
   */
  postpone(name: ClusterName, reason: string): void {
    if (!this.isOpen || this.#entries.get(name)?.problem === reason) return;
    this.#lost.delete(name);
    if (this.#clusters.has(name)) void this.#clusters.remove(name, { reason });
    else this.#report(name, { phase: 'Discovered', reason });
    this.#entries.set(name, { version: '', problem: reason });
  }

  /**
   * Disengages the cluster of an entry that no longer exists. Does not wait until the cluster has stopped.
   *
   * @param reason shown in the fleet status and logs.
   */
  remove(name: ClusterName, reason: string): void {
    const isKnown = this.#entries.delete(name);
    this.#lost.delete(name);
    if (this.#clusters.has(name)) void this.#clusters.remove(name, { reason });
    else if (isKnown) this.#report(name, { phase: 'Disengaged', reason });
  }

  /**
   * Returns the names that were set, refused or postponed, and not removed. They include clusters that were lost and are
   * not discovered again yet.
   */
  names(): ClusterName[] {
    return [...this.#entries.keys(), ...this.#lost];
  }

  /** Whether {@link names} includes the name. */
  knows(name: ClusterName): boolean {
    return this.#entries.has(name) || this.#lost.has(name);
  }

  /** Whether a cluster with that name is engaged or connecting, or is served by another process. */
  has(name: ClusterName): boolean {
    return this.#clusters.has(name);
  }

  /**
   * Returns the engaged cluster with that name.
   *
   * @throws {NotOwnerError} if another process serves it.
   * @throws {ClusterNotFoundError} if it is not engaged for any other reason.
   */
  get(name: ClusterName): Cluster {
    return this.#clusters.get(name);
  }

  /** Returns the names of the engaged clusters, sorted. */
  clusterNames(): ClusterName[] {
    return this.#clusters.clusterNames();
  }

  async indexField<T extends KubernetesObject>(kind: Kind<T>, name: string, extract: IndexExtractor<T>): Promise<void> {
    await this.#clusters.indexField(kind, name, extract);
  }

  /** Reports the failure of the discovery for each engaged cluster. */
  discoveryFailed(error: Error): void {
    this.#reportAll(`its provider failed and is retrying: ${error.message}`, error);
  }

  /** Reports that the discovery runs again, and repeats the refusals, which {@link discoveryFailed} has replaced. */
  discoveryResumed(): void {
    this.#reportAll('its provider runs again');
    for (const name of this.names()) this.#repeatRefusal(name);
  }

  #declarationOf(name: ClusterName, { config: read, info }: DiscoveredCluster): ClusterDeclaration {
    const { configure = (plain: ClusterConfig) => plain, newCluster } = this.#options;
    const config = () => configure(read());
    const { labels = {} } = info;
    if (!newCluster) return { config, info, labels, make: this.#create };
    // A custom function may give its clusters another configuration, which only a cluster shows.
    return madeOnDemand(() => newCluster(config(), { ...this.#clusterOptions(name), name, info }), { labels });
  }

  /** Shared by all declarations. */
  readonly #create: ClusterDeclaration['make'] = (config, options) =>
    createCluster(config, { ...this.#clusterOptions(options.name), ...options });

  #clusterOptions(name: ClusterName): ClusterOptions {
    return { ...inheritedOptions(this.#manager, name), ...this.#options.clusterOptions };
  }

  #isElsewhere(name: ClusterName): boolean {
    return this.#discovery?.aware.ownership?.stateOf(name) === 'elsewhere';
  }

  #onLost(name: ClusterName): void {
    this.#entries.delete(name);
    const { rediscover } = this.#options;
    const signal = this.#discovery?.signal;
    if (!rediscover || !signal) return;
    this.#lost.add(name);
    sleep(this.clock, REDISCOVERY_DELAY, signal).then(
      () => {
        if (this.#lost.has(name)) this.#rediscover(rediscover, name);
      },
      () => undefined,
    );
  }

  #rediscover(rediscover: (name: ClusterName) => void, name: ClusterName): void {
    try {
      rediscover(name);
    } catch (error) {
      this.log.error('failed to rediscover cluster', { cluster: name, error });
    } finally {
      this.#lost.delete(name);
    }
  }

  /**
   * Repeats the problem of an entry after its cluster is engaged. While a cluster is connecting, its status shows the
   * latest connection failure instead, and a problem is reported only once.
   */
  #repeatingRefusals(aware: Aware): Aware {
    return {
      engage: async (name, cluster, signal) => {
        await aware.engage(name, cluster, signal);
        if (!signal.aborted) this.#repeatRefusal(name);
      },
      report: (...observation) => aware.report?.(...observation),
      described: (name, labels) => aware.described?.(name, labels),
      ownership: aware.ownership,
    };
  }

  #repeatRefusal(name: ClusterName): void {
    const refusal = this.#entries.get(name)?.refusal;
    if (refusal) this.#reportRefusal(name, refusal);
  }

  #reportRefusal(name: ClusterName, error: Error): void {
    const kept = this.#clusters.serves(name) ? '; the cluster keeps its last good configuration' : '';
    this.#report(name, { phase: 'Unreachable', reason: error.message + kept, error });
  }

  #reportAll(reason: string, error?: Error): void {
    for (const name of this.clusterNames()) {
      this.#report(name, { phase: 'Connecting', reason, ...(error && { error }) });
    }
  }

  #report(name: ClusterName, observation: Parameters<NonNullable<Aware['report']>>[1]): void {
    this.#discovery?.aware.report?.(name, observation);
  }

  get #manager(): Manager | undefined {
    return this.#options.manager?.();
  }
}

/** Returns a text that identifies the entry. Ignores the resource version of the origin, which is not about the cluster. */
function versionOf({ digest, info: { labels, properties, origin } }: DiscoveredCluster): string {
  return JSON.stringify([digest, labels, properties, origin?.metadata.uid]);
}
