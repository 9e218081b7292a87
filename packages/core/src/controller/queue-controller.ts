import type { Logger } from '@mcr/client';
import { HASH_SPACE, Shard } from '@mcr/client';
import type { Cluster } from '../fleet/cluster/cluster.ts';
import type { Manager } from '../manager/manager.ts';
import type { Runnable, RunnableGroup } from '../manager/runnable.ts';
import type { ControllerMetrics } from '../manager/metrics/controller-metrics.ts';
import type { ClusterName } from '../fleet/multicluster/cluster-name.ts';
import { LOCAL_CLUSTER } from '../fleet/multicluster/cluster-name.ts';
import type { Ownership } from '../fleet/multicluster/ownership.ts';
import type { ControllerSource, Source, StartedSource } from './source/source.ts';
import { ClusterFeed } from './cluster-feed.ts';
import type { QueueItem } from './workqueue/item.ts';
import type { RequestQueue } from './workqueue/request-queue.ts';
import { WorkQueue } from './workqueue/workqueue.ts';
import type { Controller, Watch } from './controller.ts';
import type { QueueControllerOptions } from './queue-controller-options.ts';
import { ClusterSources } from './cluster-sources.ts';
import type { Part } from './sharded/owned-requests.ts';
import { OwnedRequests } from './sharded/owned-requests.ts';
import { Replays } from './sharded/replays.ts';
import { divisionOf } from './sharded/shard-by.ts';
import { Workers } from './workers.ts';

interface Engaged<R> {
  readonly engagement: ClusterSources<R>;
  /** Ends the engagement. */
  readonly signal: AbortSignal;
  readonly onAbort: () => void;
}

/** The controller that `createController` returns. Sources add requests to its queue, and workers process them. */
export class QueueController<R> implements Controller<R> {
  readonly name: string;
  /** Its sources select the clusters that they watch, including the local one. */
  readonly engageLocal = true;
  /** Requests of clusters that this replica does not own yet wait in the queue. */
  readonly engagePrepared = true;
  readonly group: RunnableGroup;
  readonly warmUp?: NonNullable<Runnable['warmUp']>;
  readonly #manager: Manager;
  readonly #options: QueueControllerOptions<R>;
  readonly #log: Logger;
  readonly #queue: WorkQueue<R>;
  /** Absent if the controller reconciles the requests of all clusters. */
  readonly #owned: OwnedRequests<R> | undefined;
  readonly #metrics: ControllerMetrics | undefined;
  readonly #workers: Workers<R>;
  readonly #sources = new Set<Source<R>>();
  /** Controllers of the signals that end started sources. */
  readonly #sourceEnds = new Map<ControllerSource<R>, AbortController>();
  /** Sources of {@link #sourceEnds} whose start has ended. */
  readonly #startedSources = new Map<ControllerSource<R>, StartedSource<R>>();
  readonly #engaged = new Map<ClusterName, Engaged<R>>();
  /** Events of the clusters, for sources that follow the fleet. */
  readonly #clusterFeed: ClusterFeed;
  /** Engagements that continued while another replica may have reconciled the cluster. */
  readonly #stale = new Set<ClusterSources<R>>();
  readonly #stop = new AbortController();
  readonly #failure = Promise.withResolvers<never>();
  /** Resolves when the requests for the objects of the local cluster are in the queue. */
  readonly #localSettled = Promise.withResolvers<void>();
  /** Resolves when {@link run} is called. */
  readonly #running = Promise.withResolvers<void>();
  #ran = false;
  #hasWarned = false;
  /** Sources start once, by warm-up or by `run`. */
  #phase: 'new' | 'started' | 'stopped' = 'new';

  constructor(name: string, manager: Manager, options: QueueControllerOptions<R>) {
    this.name = name;
    this.#manager = manager;
    this.#options = options;
    const { ownership } = manager;
    const {
      needLeaderElection = ownership === undefined,
      sharded = !needLeaderElection,
      enableWarmup = false,
    } = options;
    if (ownership && needLeaderElection && sharded) {
      throw new TypeError(
        `controller ${JSON.stringify(name)}: the options needLeaderElection and sharded exclude each other, because the leader does not own all clusters: leave out one of them`,
      );
    }
    if (ownership && !sharded && options.shardBy !== undefined) {
      throw new TypeError(
        `controller ${JSON.stringify(name)}: shardBy divides the requests among the replicas, and ${needLeaderElection ? 'needLeaderElection: true' : 'sharded: false'} does not: leave out one of them`,
      );
    }
    // The only replica holds all objects.
    if (!ownership && options.shardBy instanceof Shard) options.shardBy.update([{ start: 0n, end: HASH_SPACE }]);
    this.group = needLeaderElection ? 'leader-elected' : 'other';
    if (needLeaderElection && enableWarmup) this.warmUp = (signal: AbortSignal) => this.#warmUp(signal);
    this.#log = options.logger.child({ controller: name });
    this.#metrics = manager.metrics?.controller(name);
    this.#metrics?.maxConcurrentReconciles(options.maxConcurrentReconciles);
    this.#queue = new WorkQueue({
      ...options,
      workers: options.maxConcurrentReconciles,
      clock: manager.clock,
      ...(this.#metrics && { metrics: this.#metrics.queue }),
    });
    this.#owned = ownership && sharded ? this.#ownedRequests(ownership) : undefined;
    this.#clusterFeed = new ClusterFeed({
      fleet: manager.fleet,
      engaged: () => Array.from(this.#engaged, ([clusterName, { engagement }]) => [clusterName, engagement.cluster]),
    });
    this.#workers = new Workers({
      controller: name,
      manager,
      queue: this.#queue,
      options,
      log: this.#log,
      ...(this.#metrics && { metrics: this.#metrics }),
      needLeaderElection,
      owned: this.#owned,
      isEngaged: (clusterName) => this.#engaged.has(clusterName),
      onFailure: (error) => this.#fail(error),
    });
    this.#failure.promise.catch(() => undefined);
  }

  async watch(source: Source<R>): Promise<Watch> {
    const named = { ...source, name: this.#uniqueName(source.name) };
    this.#sources.add(named);
    if (this.#phase === 'started') {
      if (named.per === 'controller') void this.#startSource(named);
      else for (const { engagement } of this.#engaged.values()) engagement.select(named);
    }
    return { stop: async () => this.#unwatch(named) };
  }

  #unwatch(source: Source<R>): void {
    this.#sources.delete(source);
    if (source.per === 'controller') this.#endSource(source);
    else for (const { engagement } of this.#engaged.values()) engagement.remove(source);
  }

  async engage(name: ClusterName, cluster: Cluster, signal: AbortSignal): Promise<void> {
    if (signal.aborted || this.#phase === 'stopped') return;
    const present = this.#engaged.get(name);
    if (present?.engagement.cluster === cluster) return;
    if (present) this.#disengage(name, present, 'recordStop');

    const { clock, fleet, provider, hasLocalCluster, localManager } = this.#manager;
    const engagement = new ClusterSources<R>({
      controller: this.name,
      clusterName: name,
      cluster,
      ...(hasLocalCluster && { localCluster: localManager.cluster }),
      queue: this.#owned?.from(name) ?? this.#queue,
      recorder: fleet.recorder,
      clock,
      log: this.#log.child({ cluster: name }),
      cacheSyncTimeout: this.#options.cacheSyncTimeout,
      isDefault: (name === LOCAL_CLUSTER) === (provider === undefined),
      onJoined: () => {
        this.#warnOfMember(name);
        this.#shareWorkers();
      },
      onLeft: () => {
        this.#drop(name, 'was left out');
        this.#shareWorkers();
      },
    });
    const onAbort = () => this.#disengage(name, engaged);
    const engaged: Engaged<R> = { engagement, signal, onAbort };
    signal.addEventListener('abort', onAbort, { once: true });
    this.#engaged.set(name, engaged);
    this.#owned?.engage(name);
    if (cluster.breaker) this.#workers.keeper.engage(name, cluster.breaker);
    if (this.#phase === 'started') this.#selectAll(engagement);
    this.#clusterFeed.engaged(name, cluster);
  }

  /** In a sharded fleet, the leader is connected only to the members that it owns. */
  #warnOfMember(name: ClusterName): void {
    if (this.group !== 'leader-elected' || !this.#manager.ownership || name === LOCAL_CLUSTER || this.#hasWarned)
      return;
    this.#hasWarned = true;
    this.#log.warn(
      'a leader-elected controller watches members of a sharded fleet, so that no replica reconciles the members that the leader does not own: remove needLeaderElection, or watch only the local cluster',
      { cluster: name },
    );
  }

  describe(): string {
    const work = this.#workers.describe();
    return `controller ${JSON.stringify(this.name)}${work && ` still reconciles ${work}`}`;
  }

  async run(signal: AbortSignal): Promise<void> {
    if (this.#ran) throw new Error(`controller ${this.name} was run already; a controller runs once`);
    this.#ran = true;
    this.#running.resolve();
    this.#startSources();
    this.#workers.start(this.#untilLocalSettled());
    try {
      await this.#until(signal);
    } finally {
      this.#shutDown();
    }
    await this.#workers.ended();
  }

  /**
   * Waits for the sources of the local cluster before the workers start. A reconcile may read an object of the local
   * cluster that is deleted before its source lists, and no event would follow. The wait ends if these sources fail or
   * take longer than `cacheSyncTimeout`. (Upstream: a controller waits for its sources before it starts its workers.)
   */
  async #untilLocalSettled(): Promise<void> {
    if (!(await this.#watchesLocalCluster())) return;
    const { cacheSyncTimeout } = this.#options;
    const timer = this.#manager.clock.schedule(cacheSyncTimeout, () => {
      this.#log.warn('local cluster did not sync in time, reconciling without it', { cacheSyncTimeout });
      this.#localSettled.resolve();
    });
    this.#stop.signal.addEventListener('abort', () => this.#localSettled.resolve(), { once: true });
    await this.#localSettled.promise;
    timer.cancel();
  }

  async #watchesLocalCluster(): Promise<boolean> {
    const { provider, localManager, hasLocalCluster } = this.#manager;
    if (!hasLocalCluster) return false;
    const asked = [...this.#sources].map(async (source) => {
      if (source.per !== 'cluster') return false;
      return source.clusterFilter ? source.clusterFilter(LOCAL_CLUSTER, localManager.cluster) : provider === undefined;
    });
    const answers = await Promise.allSettled(asked);
    return answers.some((answer) => answer.status === 'fulfilled' && answer.value);
  }

  /** Starts the sources. Resolves when {@link run} is called, or when the manager stops without having led. */
  async #warmUp(signal: AbortSignal): Promise<void> {
    this.#startSources();
    try {
      await this.#until(signal, this.#running.promise);
    } finally {
      if (!this.#ran) this.#shutDown();
    }
  }

  /** Waits for the abort, or for `other`. @throws an error that stops the manager. */
  async #until(signal: AbortSignal, other?: Promise<void>): Promise<void> {
    const aborted = Promise.withResolvers<void>();
    const onAbort = () => aborted.resolve();
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    try {
      await Promise.race([aborted.promise, this.#failure.promise, ...(other ? [other] : [])]);
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  #startSources(): void {
    if (this.#phase !== 'new') return;
    this.#phase = 'started';
    this.#owned?.follow();
    for (const { engagement } of this.#engaged.values()) this.#selectAll(engagement);
    for (const source of this.#sources) if (source.per === 'controller') void this.#startSource(source);
  }

  /** Ends {@link run} with an error that stops the manager. No further request is handed out. */
  #fail(error: unknown): void {
    this.#failure.reject(error);
    this.#shutDown();
  }

  #shutDown(): void {
    if (this.#phase === 'stopped') return;
    this.#phase = 'stopped';
    this.#queue.shutDown();
    this.#owned?.close();
    this.#stop.abort();
    for (const source of [...this.#sourceEnds.keys()]) this.#endSource(source);
    for (const [name, engaged] of this.#engaged) this.#disengage(name, engaged);
    this.#workers.stop();
  }

  #disengage(name: ClusterName, engaged: Engaged<R>, status: 'keepStatus' | 'recordStop' = 'keepStatus'): void {
    engaged.signal.removeEventListener('abort', engaged.onAbort);
    engaged.engagement.end(status);
    this.#engaged.delete(name);
    this.#stale.delete(engaged.engagement);
    this.#owned?.disengage(name);
    this.#drop(name, 'left');
    this.#workers.keeper.disengage(name);
    this.#shareWorkers();
    if (status === 'keepStatus' && this.#phase !== 'stopped') {
      this.#clusterFeed.disengaged(name, engaged.engagement.cluster, abortText(engaged.signal));
    }
  }

  /**
   * Drops the requests of a cluster and aborts its reconciles.
   *
   * @param why text that follows the cluster's name.
   */
  #drop(name: ClusterName, why: string): void {
    this.#queue.dropCluster(name);
    this.#abort((item) => item.clusterName === name, `cluster ${JSON.stringify(name)} ${why}`);
  }

  #abort(matches: (item: QueueItem<R>) => boolean, why: string): void {
    this.#workers.abort(matches, new Error(why));
  }

  #ownedRequests(ownership: Ownership): OwnedRequests<R> {
    const { slots } = this.#manager;
    const { shardBy } = this.#options;
    slots?.addController(this.name, divisionOf(shardBy));
    const replays = new Replays<Part>({
      clock: this.#manager.clock,
      log: this.#log,
      deliver: (parts) => this.#replay(parts),
      isNeeded: (part) => owned.serves(part),
      signal: this.#stop.signal,
    });
    const owned = new OwnedRequests<R>({
      ownership,
      ...(slots && shardBy !== undefined && { local: { slots, shardBy } }),
      queue: this.#queue,
      requestType: this.#options.requestType,
      clock: this.#manager.clock,
      log: this.#log,
      onLost: (clusterName, matches) => {
        if (matches) {
          this.#queue.dropRequests(clusterName, matches);
          this.#abort((item) => item.clusterName === clusterName && matches(item), 'another replica owns the request');
        } else {
          this.#drop(clusterName, 'is owned by another replica');
        }
      },
      onGained: (parts) => {
        for (const part of parts) {
          const engagement = typeof part === 'string' ? this.#engaged.get(part)?.engagement : undefined;
          if (engagement?.isServed) this.#stale.add(engagement);
        }
        replays.add(parts);
      },
    });
    return owned;
  }

  /**
   * Delivers the objects of the local cluster again, for parts of the requests that this process serves from now on.
   * Handlers may have mapped them to requests of these parts, which another replica has reconciled until now. Delivers the
   * objects of {@link #stale} clusters too.
   */
  async #replay(parts: ReadonlySet<Part>): Promise<void> {
    const owned = this.#owned;
    const queue: RequestQueue<R> = {
      add: (request, options) => {
        if (owned && parts.has(owned.partOf(request))) owned.add(request, options);
      },
    };
    const stale = [...this.#stale];
    this.#stale.clear();
    const local = this.#engaged.get(LOCAL_CLUSTER)?.engagement;
    const sources = new Set(local ? [local, ...stale] : stale);
    const results = await Promise.allSettled([
      ...[...sources].map((source) => source.replay(queue)),
      ...[...this.#startedSources.values()].map((source) => source.replay?.(queue)),
    ]);
    const failure = results.find((result) => result.status === 'rejected');
    if (!failure) return;
    for (const source of stale) this.#stale.add(source);
    throw failure.reason;
  }

  #selectAll(engagement: ClusterSources<R>): void {
    for (const source of this.#sources) if (source.per === 'cluster') engagement.select(source);
    if (engagement.clusterName === LOCAL_CLUSTER) void engagement.settled().then(this.#localSettled.resolve);
  }

  async #startSource(source: ControllerSource<R>): Promise<void> {
    const end = new AbortController();
    this.#sourceEnds.set(source, end);
    const { signal } = end;
    try {
      const log = this.#log.child({ source: source.name });
      const queue: RequestQueue<R> = {
        add: (request, options) => {
          if (!signal.aborted) (this.#owned ?? this.#queue).add(request, options);
        },
      };
      const clusters = this.#clusterFeed;
      const started = await source.start({ queue, signal, log, clock: this.#manager.clock, clusters });
      if (signal.aborted) started.stop();
      else {
        this.#startedSources.set(source, started);
        signal.addEventListener('abort', () => started.stop(), { once: true });
      }
      await started.synced;
    } catch (error) {
      if (!signal.aborted) this.#fail(error);
    }
  }

  #endSource(source: ControllerSource<R>): void {
    this.#sourceEnds.get(source)?.abort();
    this.#sourceEnds.delete(source);
    this.#startedSources.delete(source);
  }

  /**
   * With more than one cluster, limits each cluster to half of the workers, unless an option sets another limit. So a
   * cluster that stops answering never holds all workers.
   */
  #shareWorkers(): void {
    const { maxConcurrentPerCluster, fairness, maxConcurrentReconciles } = this.#options;
    if (maxConcurrentPerCluster !== undefined || fairness === 'none') return;
    let clusters = 0;
    for (const { engagement } of this.#engaged.values()) {
      if (engagement.isServed) clusters += 1;
      if (clusters > 1) break;
    }
    const half = Math.max(1, Math.floor(maxConcurrentReconciles / 2));
    this.#queue.setMaxConcurrentPerCluster(clusters > 1 ? half : Infinity);
  }

  /** Returns a name that no other source has, because the fleet status distinguishes sources by name. */
  #uniqueName(name: string): string {
    const taken = new Set([...this.#sources].map((source) => source.name));
    if (!taken.has(name)) return name;
    for (let number = 2; ; number++) if (!taken.has(`${name} (${number})`)) return `${name} (${number})`;
  }
}

/** Returns the reason of an aborted signal. It may be a DOMException, which is not an instance of every realm's `Error`. */
function abortText({ reason }: AbortSignal): string {
  const { message } = Object(reason) as { readonly message?: unknown };
  return typeof message === 'string' ? message : String(reason);
}
