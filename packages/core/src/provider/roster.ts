import type { Clock, ClusterConfig, FieldIndexer, IndexExtractor, Kind, KubernetesObject, Logger } from '@mcr/client';
import { Backoff, silentLogger, sleep, systemClock, untilAborted } from '@mcr/client';
import type { Cluster, ClusterInfo } from '../fleet/cluster/cluster.ts';
import type { ClusterOptions } from '../fleet/cluster/create-cluster.ts';
import { createCluster } from '../fleet/cluster/create-cluster.ts';
import { inheritedOptions } from './inherited-options.ts';
import type { Manager } from '../manager/manager.ts';
import type { Aware } from '../fleet/multicluster/aware.ts';
import type { ClusterName } from '../fleet/multicluster/cluster-name.ts';
import { Clusters } from '../fleet/clusters/clusters.ts';
import { oneRun } from './one-run.ts';

/** What an inventory says of one cluster that can be connected to. */
export interface RosterEntry {
  /** Stands for all that the configuration is made of: while it is the same, so is that. */
  readonly digest: string;
  /** How to reach the cluster. Called when the entry has changed. @throws why the entry cannot be used. */
  readonly config: () => ClusterConfig;
  /** Followed by the cluster without being engaged anew. Of its origin, only another object counts as a change. */
  readonly info: Partial<Omit<ClusterInfo, 'version'>>;
}

export interface RosterOptions {
  /** For every cluster: how it is cached, its logger, clock and tracer. */
  readonly clusterOptions?: Omit<ClusterOptions, 'name' | 'info'>;
  /** Alters the configuration of every cluster. */
  readonly configure?: (config: ClusterConfig) => ClusterConfig;
  /** Makes the clusters. Default: `createCluster`. */
  readonly newCluster?: (config: ClusterConfig, options: ClusterOptions) => Cluster;
  /** A cluster that was admitted is no more, because it stopped by itself or somebody refused it: admit it again later. */
  readonly onLost?: (name: ClusterName) => void;
}

/** While nothing else can be discovered, it is tried again from every second to every minute; after a good minute, anew. */
const RETRY = { base: 1_000, max: 60_000 };

/** Whom a roster engages clusters with. */
export interface RosterRun {
  readonly aware: Aware;
  /** Ends every engagement. */
  readonly signal: AbortSignal;
  /** Whose clock, logger, tracer and so on the clusters take over. Default: those of `createCluster`. */
  readonly manager?: Manager | undefined;
}

/** What was last heard of an entry. */
interface Heard {
  /** Stands for all of it; `''` when it could not be used. */
  readonly version: string;
  /** Why the entry is no cluster, or is one only as it was before. */
  readonly problem?: string;
  /** Why the entry cannot be used. */
  readonly refusal?: Error;
}

/**
 * The clusters of a provider whose inventory has an entry for each. It makes a cluster of each entry that it is given,
 * keeps the last one that could be made when an entry turns bad, and tells of each problem once.
 */
export class Roster implements FieldIndexer {
  readonly #options: RosterOptions;
  readonly #clusters: Clusters;
  readonly #heard = new Map<ClusterName, Heard>();
  #manager: Manager | undefined;
  #discovery: RosterRun | undefined;

  constructor(options: RosterOptions = {}) {
    this.#options = options;
    this.#clusters = new Clusters({
      clock: () => this.#clock,
      onError: (error, name) => {
        this.#log.error('cluster failed', { cluster: name, error });
        if (this.#clusters.has(name)) return;
        this.#heard.delete(name);
        options.onLost?.(name);
      },
    });
  }

  /** Whether there is somebody to engage clusters with. */
  get isOpen(): boolean {
    return this.#discovery !== undefined;
  }

  /**
   * All of a provider's `run`: has `discover` admit what there is, until the signal aborts, and resolves when every cluster
   * has stopped. While there are clusters, a failure of `discover` ends none of them: it is called again, and the fleet
   * status tells.
   *
   * @throws {TypeError} if it is called again before the previous call has ended.
   * @throws what `discover` throws when there is no cluster to be kept.
   */
  async serve(run: RosterRun, discover: () => Promise<void>): Promise<void> {
    await oneRun(this, 'this provider', () => this.#serve(run, discover));
  }

  async #serve(run: RosterRun, discover: () => Promise<void>): Promise<void> {
    const { signal } = run;
    const isOver = () => signal.aborted;
    this.open(run);
    const backoff = new Backoff(RETRY);
    try {
      while (!isOver()) {
        const began = this.#clock.now();
        try {
          await discover();
          await untilAborted(signal);
        } catch (error) {
          // Whoever takes the signal may reject with its reason.
          if (isOver()) return;
          if (!this.names().some((name) => this.has(name))) throw error;
          if (this.#clock.now() - began >= RETRY.max) backoff.reset();
          await this.#failed(error as Error, backoff, signal);
        }
      }
    } finally {
      await this.close();
    }
  }

  /** Engages what is admitted from now on, until {@link close}. */
  open(run: RosterRun): void {
    this.#manager = run.manager;
    this.#discovery = run;
  }

  /** Disengages all, and forgets what was heard. Resolves when every cluster has stopped. */
  async close(): Promise<void> {
    this.#discovery = undefined;
    this.#heard.clear();
    await this.#clusters.removeAll({ reason: 'the provider stops' });
  }

  /** Makes a cluster of an entry, or alters the one that is there. While the roster is closed, nothing. */
  admit(name: ClusterName, entry: RosterEntry): void {
    const discovery = this.#discovery;
    const before = this.#heard.get(name);
    const version = versionOf(entry);
    if (!discovery || before?.version === version) return;
    let cluster: Cluster;
    try {
      cluster = this.#make(name, entry);
    } catch (error) {
      this.refuse(name, error as Error);
      return;
    }
    if (before?.problem !== undefined)
      this.#report(name, { phase: 'Connecting', reason: 'its entry can be used again' });
    this.#heard.set(name, { version });
    this.#clusters.ensure(name, cluster, this.#repeating(discovery.aware), discovery.signal);
  }

  /** An entry that cannot be used: the cluster stays as it was, if there is one. While the roster is closed, nothing. */
  refuse(name: ClusterName, error: Error): void {
    if (!this.isOpen || this.#heard.get(name)?.problem === error.message) return;
    this.#heard.set(name, { version: '', problem: error.message, refusal: error });
    this.#reportRefusal(name, error);
  }

  /**
   * An entry that is no cluster yet, or for now: one that is there is disengaged. While the roster is closed, nothing.
   *
   * @param reason for the person on call.
   */
  postpone(name: ClusterName, reason: string): void {
    if (!this.isOpen || this.#heard.get(name)?.problem === reason) return;
    if (this.#clusters.has(name)) void this.#clusters.remove(name, { reason });
    else this.#report(name, { phase: 'Discovered', reason });
    this.#heard.set(name, { version: '', problem: reason });
  }

  /**
   * There is no such entry any more. Waits for nothing: a cluster that is slow to stop keeps no other from its place.
   *
   * @param reason for the person on call.
   */
  remove(name: ClusterName, reason: string): void {
    const wasHeard = this.#heard.delete(name);
    if (this.#clusters.has(name)) void this.#clusters.remove(name, { reason });
    else if (wasHeard) this.#report(name, { phase: 'Disengaged', reason });
  }

  /** What was admitted, refused or postponed, and not removed. */
  names(): ClusterName[] {
    return [...this.#heard.keys()];
  }

  /** Whether {@link names} has it. */
  knows(name: ClusterName): boolean {
    return this.#heard.has(name);
  }

  /** Whether a cluster of that name is engaged or being connected to. */
  has(name: ClusterName): boolean {
    return this.#clusters.has(name);
  }

  /** The engaged cluster of that name. @throws {ClusterNotFoundError} when there is none. */
  get(name: ClusterName): Cluster {
    return this.#clusters.get(name);
  }

  /** The names of the engaged clusters, sorted. */
  clusterNames(): ClusterName[] {
    return this.#clusters.clusterNames();
  }

  async indexField<T extends KubernetesObject>(kind: Kind<T>, name: string, extract: IndexExtractor<T>): Promise<void> {
    await this.#clusters.indexField(kind, name, extract);
  }

  #make(name: ClusterName, { config, info }: RosterEntry): Cluster {
    const { configure = (plain: ClusterConfig) => plain, clusterOptions, newCluster = createCluster } = this.#options;
    return newCluster(configure(config()), { ...inheritedOptions(this.#manager, name), ...clusterOptions, name, info });
  }

  /**
   * Repeats the problem of an entry once its cluster is engaged. The status of a cluster that is being connected to shows
   * the latest failure instead, and a problem is reported only once.
   */
  #repeating(aware: Aware): Aware {
    return {
      engage: async (name, cluster, signal) => {
        await aware.engage(name, cluster, signal);
        if (!signal.aborted) this.#repeatRefusal(name);
      },
      report: (...observation) => aware.report?.(...observation),
    };
  }

  #repeatRefusal(name: ClusterName): void {
    const refusal = this.#heard.get(name)?.refusal;
    if (refusal) this.#reportRefusal(name, refusal);
  }

  #reportRefusal(name: ClusterName, error: Error): void {
    const kept = this.#clusters.has(name) ? '; the cluster is kept as it was before' : '';
    this.#report(name, { phase: 'Unreachable', reason: error.message + kept, error });
  }

  async #failed(error: Error, backoff: Backoff, signal: AbortSignal): Promise<void> {
    const retryIn = Math.round(backoff.next());
    const level = backoff.failures === 1 ? 'error' : 'debug';
    this.#log[level]('discovery failed, keeping the clusters and retrying', { error, retryIn });
    this.#tellAll(`its provider failed, and tries again: ${error.message}`, error);
    await sleep(this.#clock, retryIn, signal).then(
      () => {
        this.#tellAll('its provider runs again');
        for (const name of this.names()) this.#repeatRefusal(name);
      },
      () => undefined,
    );
  }

  #tellAll(reason: string, error?: Error): void {
    for (const name of this.#clusters.clusterNames()) {
      this.#report(name, { phase: 'Connecting', reason, ...(error && { error }) });
    }
  }

  #report(name: ClusterName, observation: Parameters<NonNullable<Aware['report']>>[1]): void {
    this.#discovery?.aware.report?.(name, observation);
  }

  get #clock(): Clock {
    return this.#options.clusterOptions?.clock ?? this.#manager?.clock ?? systemClock;
  }

  get #log(): Logger {
    return this.#manager?.logger ?? silentLogger;
  }
}

/** The versions of its origin say nothing of a cluster. */
function versionOf({ digest, info: { labels, properties, origin } }: RosterEntry): string {
  return JSON.stringify([digest, labels, properties, origin?.metadata.uid]);
}
