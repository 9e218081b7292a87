import type { Clock, Logger } from '@mcr/client';
import type { Cluster } from '../fleet/cluster/cluster.ts';
import type { FleetRecorder } from '../fleet/status/fleet.ts';
import type { ClusterName } from '../fleet/multicluster/cluster-name.ts';
import type { ClusterSource, StartedSource } from './source/source.ts';
import type { RequestQueue } from './workqueue/request-queue.ts';
import { ClusterWatch } from './cluster-watch.ts';
import type { WatchState } from './watch-state.ts';

export interface ClusterSourcesOptions<R> {
  readonly controller: string;
  readonly clusterName: ClusterName;
  readonly cluster: Cluster;
  /** The local cluster of the manager. Default: it has none. */
  readonly localCluster?: Cluster;
  readonly queue: RequestQueue<R>;
  readonly recorder: FleetRecorder;
  readonly clock: Clock;
  readonly log: Logger;
  readonly cacheSyncTimeout: number;
  /** Whether sources without a filter serve the cluster. */
  readonly isDefault: boolean;
  /** Called when the first source applies to the cluster. Default: nothing is called. */
  readonly onJoined?: () => void;
  /** Called when the last source stops serving the cluster while the cluster stays engaged. */
  readonly onLeft: () => void;
}

/** The sources of a controller in one instance of a cluster. Each fails and recovers independently. */
export class ClusterSources<R> {
  readonly #options: ClusterSourcesOptions<R>;
  readonly #watches = new Map<ClusterSource<R>, ClusterWatch<R>>();
  /** Identity of the latest call of each filter. Results of earlier calls are ignored. */
  readonly #filterCalls = new Map<ClusterSource<R>, object>();
  /** Sources whose filter has not returned yet or whose first start has not ended. */
  readonly #unsettled = new Set<ClusterSource<R>>();
  /** Called when {@link #unsettled} becomes empty. */
  #onSettled: (() => void)[] = [];
  readonly #ignoreDescription: () => void;
  #keepsStatus = false;

  constructor(options: ClusterSourcesOptions<R>) {
    this.#options = options;
    this.#ignoreDescription = options.cluster.onDescribed(() => {
      for (const source of [...this.#filterCalls.keys()]) this.select(source);
    });
  }

  get clusterName(): ClusterName {
    return this.#options.clusterName;
  }

  get cluster(): Cluster {
    return this.#options.cluster;
  }

  /** Whether any source applies to the cluster. */
  get isServed(): boolean {
    return this.#watches.size > 0;
  }

  /** Starts or stops a source, according to its filter. Does not wait and does not throw. */
  select(source: ClusterSource<R>): void {
    const { clusterName, cluster, log, isDefault } = this.#options;
    const filterCall = {};
    if (!this.#filterCalls.has(source)) this.#unsettled.add(source);
    this.#filterCalls.set(source, filterCall);
    const apply = (chosen: boolean) => {
      if (this.#filterCalls.get(source) !== filterCall) return;
      if (chosen) {
        this.#start(source);
      } else {
        this.#stop(source);
        this.#settle(source);
      }
    };
    const onError = (error: unknown) => {
      log.error('cluster filter failed, skipping cluster', {
        source: source.name,
        error,
      });
      apply(false);
    };
    try {
      const chosen = source.clusterFilter?.(clusterName, cluster) ?? isDefault;
      if (typeof chosen === 'boolean') apply(chosen);
      else chosen.then(apply).catch(onError);
    } catch (error) {
      onError(error);
    }
  }

  #start(source: ClusterSource<R>): void {
    if (this.#watches.has(source)) return;
    const watch = new ClusterWatch({
      ...this.#options,
      source,
      log: this.#options.log.child({ source: source.name }),
      onState: (state, started) => this.#observe(source, state, started),
    });
    this.#watches.set(source, watch);
    if (this.#watches.size === 1) this.#options.onJoined?.();
    watch.start();
  }

  #stop(source: ClusterSource<R>): void {
    this.#watches.get(source)?.stop();
    if (this.#watches.delete(source) && this.#watches.size === 0) this.#options.onLeft();
  }

  /** Stops a source permanently. The requests that it added stay in the queue. */
  remove(source: ClusterSource<R>): void {
    this.#filterCalls.delete(source);
    this.#watches.get(source)?.stop();
    this.#watches.delete(source);
    this.#settle(source);
  }

  /**
   * Delivers the objects of all sources once more, to `queue`. Resolves when they have been handled.
   *
   * @throws the first failure, when all sources have ended.
   */
  async replay(queue: RequestQueue<R>): Promise<void> {
    const results = await Promise.allSettled([...this.#watches.values()].map((watch) => watch.replay(queue)));
    const failure = results.find((result) => result.status === 'rejected');
    if (failure) throw failure.reason;
  }

  /** Resolves when each selected source has synced or failed once. */
  async settled(): Promise<void> {
    if (this.#unsettled.size > 0) await new Promise<void>((resolve) => this.#onSettled.push(resolve));
  }

  #settle(source: ClusterSource<R>): void {
    if (!this.#unsettled.delete(source) || this.#unsettled.size > 0) return;
    for (const resolve of this.#onSettled.splice(0)) resolve();
  }

  /**
   * Stops the sources. They add no further requests.
   *
   * @param status whether to record the stop in the fleet status. `keepStatus` is for a cluster that is disengaged: the
   * status drops its sources then, and would report a cluster that never synced as Engaged before.
   */
  end(status: 'keepStatus' | 'recordStop'): void {
    this.#keepsStatus = status === 'keepStatus';
    this.#ignoreDescription();
    this.#filterCalls.clear();
    for (const source of [...this.#unsettled]) this.#settle(source);
    for (const watch of this.#watches.values()) watch.stop();
    this.#watches.clear();
  }

  #observe(source: ClusterSource<R>, state: WatchState, started: StartedSource | undefined): void {
    const { clusterName, controller, recorder, log } = this.#options;
    const unhandled = this.#watches.get(source)?.unhandled;
    const observation = { controller, source: source.name, ...(unhandled && { unhandled }) };
    const lastError = () => this.#watches.get(source)?.lastError;
    if (state.phase !== 'starting') this.#settle(source);
    switch (state.phase) {
      case 'starting':
        // A retried source is shown as failed until it has synced.
        if (state.failures === 0) recorder.source(clusterName, { ...observation, state: 'syncing', lastError });
        break;
      case 'synced': {
        const { objects, staleFor } = started ?? {};
        recorder.source(clusterName, {
          ...observation,
          state: 'synced',
          lastError,
          ...(objects && { objects }),
          ...(staleFor && { staleFor }),
        });
        break;
      }
      case 'failed': {
        const { error, failures, retryAfter: retryIn } = state;
        const level = failures === 1 ? 'warn' : 'debug';
        log[level]('source failed, retrying', { source: source.name, error, retryIn });
        recorder.source(clusterName, { ...observation, state: 'failed', error });
        break;
      }
      case 'stopped':
        if (this.#keepsStatus) break;
        recorder.source(clusterName, { ...observation, state: 'stopped' });
        break;
    }
  }
}
