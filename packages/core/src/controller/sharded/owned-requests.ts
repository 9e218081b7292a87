import type { Clock, Logger } from '@mcr/client';
import type { ClusterName } from '../../fleet/multicluster/cluster-name.ts';
import { LOCAL_CLUSTER } from '../../fleet/multicluster/cluster-name.ts';
import type { Ownership, OwnershipState } from '../../fleet/multicluster/ownership.ts';
import type { SlotOwnership } from '../../fleet/multicluster/slot-ownership.ts';
import type { WriteFence } from '../../fleet/fence/write-fence.ts';
import type { RequestType } from '../reconcile/request.ts';
import type { AddOptions, RequestQueue } from '../workqueue/request-queue.ts';
import type { QueueItem } from '../workqueue/item.ts';
import type { WorkQueue } from '../workqueue/workqueue.ts';
import { LocalShards } from './local-shards.ts';
import { RecentDeletions } from './recent-deletions.ts';
import { ServedParts } from './served-parts.ts';
import type { ShardBy } from './shard-by.ts';

/** A part of a controller's requests that has one owner: a cluster, or a slot of the requests for the local cluster. */
export type Part = ClusterName | number;

/**
 * The next step of a request that the queue handed out: it is reconciled, returns to the queue at once or after a backoff,
 * or leaves the queue.
 */
export type Fate = 'reconcile' | 'wait' | 'retry' | 'drop';

export interface OwnedRequestsOptions<R> {
  readonly ownership: Ownership;
  /** How the requests for the local cluster are divided. Default: the local cluster has one owner, like others. */
  readonly local?: { readonly slots: SlotOwnership; readonly shardBy: ShardBy<R> };
  readonly queue: WorkQueue<R>;
  readonly requestType: RequestType<R>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Called when requests of a cluster are no longer reconciled here, before another replica reconciles them. */
  readonly onLost: (name: ClusterName, matches?: (item: QueueItem<R>) => boolean) => void;
  /**
   * Called with parts whose objects have to be delivered again: this process serves them from now on, and dropped
   * their requests before, or another replica may have reconciled them meanwhile.
   */
  readonly onGained: (parts: ReadonlySet<Part>) => void;
}

/**
 * The requests of a controller whose clusters are divided among replicas. Requests of clusters that are owned elsewhere
 * are dropped, because their owner has them too. Requests of clusters in handover wait in the queue.
 */
export class OwnedRequests<R> implements RequestQueue<R> {
  readonly #options: OwnedRequestsOptions<R>;
  /** Clusters whose requests wait. */
  readonly #held = new Set<ClusterName>();
  /** Clusters in another state than `elsewhere` that were engaged, or whose change to this state was reported. */
  readonly #served: ServedParts<ClusterName>;
  /** The requests for the local cluster, if they have several owners. */
  readonly #local: LocalShards<R> | undefined;
  /** Requests for deleted objects of the local cluster, which all replicas watch. */
  readonly #deletions: RecentDeletions<R>;
  #hasWarned = false;
  #ignoreChanges: (() => void) | undefined;

  constructor(options: OwnedRequestsOptions<R>) {
    const { ownership, local, onLost, requestType, clock } = options;
    this.#options = options;
    this.#served = new ServedParts((name) => ownership.ownerOf(name));
    this.#deletions = new RecentDeletions(
      clock,
      (request) => `${JSON.stringify(requestType.clusterOf(request))}${requestType.key(request)}`,
    );
    this.#local =
      local &&
      new LocalShards({
        ...options,
        ...local,
        onLost: (matches) => onLost(LOCAL_CLUSTER, matches),
        onGained: (slots) => this.#gain(slots),
      });
  }

  /** Follows the ownership until {@link close}. Requests are added only after this. */
  follow(): void {
    const { ownership } = this.#options;
    this.#ignoreChanges ??= ownership.onChange((changes) => this.#onChange(changes));
    this.#onChange(new Map(Array.from(this.#served, (name) => [name, ownership.stateOf(name)])));
    this.#local?.follow();
  }

  /** Ignores further changes of the ownership. */
  close(): void {
    this.#ignoreChanges?.();
    this.#local?.close();
  }

  /** Adds a request, unless its cluster or slot is owned elsewhere. */
  add(request: R, options?: AddOptions): void {
    this.#add(request, options);
  }

  /** Adds requests for deleted objects of the local cluster. Those that are dropped are kept for a while. */
  readonly deletions: RequestQueue<R> = {
    add: (request, options) => {
      if (!this.#add(request, options)) this.#deletions.add(request, options);
    },
  };

  /** Returns the queue for the sources in a cluster. */
  from(source: ClusterName): RequestQueue<R> {
    // Every replica watches the local cluster, so that the owner has the request too.
    if (source === LOCAL_CLUSTER) return this;
    return {
      add: (request, options) => {
        const target = this.#options.requestType.clusterOf(request);
        if (!this.#add(request, options) && target !== source) this.#warn(source, target);
      },
    };
  }

  /** Applies the state of a cluster that is being engaged. */
  engage(name: ClusterName): void {
    if (this.#shardsOf(name)) return;
    const state = this.#options.ownership.stateOf(name);
    this.#hold(name, state);
    if (state === 'elsewhere') return;
    // It was not declared when this process began to serve it, so that no change was reported.
    if (this.#served.add(name)) this.#gain(new Set([name]));
  }

  /** Forgets a cluster that was disengaged, because the fleet may not contain it any more. */
  disengage(name: ClusterName): void {
    this.#shardsOf(name)?.clear();
    this.#served.delete(name);
  }

  /** Whether this process serves the part, or is its next owner. */
  serves(part: Part): boolean {
    const { ownership, local } = this.#options;
    return (typeof part === 'string' ? ownership.stateOf(part) : local?.slots.stateOf(part)) !== 'elsewhere';
  }

  /** Returns the part that a request belongs to. */
  partOf(request: R): Part {
    const name = this.#options.requestType.clusterOf(request);
    return this.#shardsOf(name)?.slotOf(request) ?? name;
  }

  dispose(item: QueueItem<R>): Fate {
    const { clusterName } = item;
    const shards = this.#shardsOf(clusterName);
    if (shards) return shards.dispose(item);
    const state = this.#stateOf(clusterName);
    if (state === 'active') return 'reconcile';
    this.#hold(clusterName, state);
    return state === 'elsewhere' ? 'drop' : 'wait';
  }

  /** Records that a reconcile begins. Returns a function that records its end. */
  begin(item: QueueItem<R>): () => void {
    return this.#shardsOf(item.clusterName)?.begin(item) ?? this.#options.ownership.begin(item.clusterName);
  }

  /** Returns the fence that the reconcile's writes to the local cluster pass. */
  fenceOf(item: QueueItem<R>): WriteFence {
    return this.#shardsOf(item.clusterName)?.fenceOf(item) ?? this.#options.ownership.fenceOf(item.clusterName);
  }

  /** Returns the shards of a cluster's requests, if they have several owners. */
  #shardsOf(name: ClusterName): LocalShards<R> | undefined {
    return name === LOCAL_CLUSTER ? this.#local : undefined;
  }

  /** Returns whether the request was added. */
  #add(request: R, options: AddOptions | undefined): boolean {
    const { queue, requestType } = this.#options;
    const name = requestType.clusterOf(request);
    const shards = this.#shardsOf(name);
    if (shards) return shards.add(request, options);
    const state = this.#stateOf(name);
    if (state === 'elsewhere') return false;
    this.#hold(name, state);
    queue.add(request, options);
    return true;
  }

  #onChange(all: ReadonlyMap<ClusterName, OwnershipState>): void {
    const { onLost } = this.#options;
    const changes = new Map(all);
    if (this.#local) changes.delete(LOCAL_CLUSTER);
    // The changes of clusters that the fleet does not contain, or no longer contains, are not reported.
    for (const name of [...this.#served, ...this.#held]) {
      const state = this.#stateOf(name);
      if (state !== 'warming' && state !== 'unknown' && !changes.has(name)) changes.set(name, state);
    }
    const { gained, lost } = this.#served.apply(changes);
    for (const name of lost) onLost(name);
    for (const [name, state] of changes) this.#hold(name, state);
    if (gained.size > 0) this.#gain(gained);
  }

  #gain(parts: ReadonlySet<Part>): void {
    const deleted = this.#deletions.take((request) => parts.has(this.partOf(request)));
    for (const { request, options } of deleted) this.#add(request, options);
    this.#options.onGained(parts);
  }

  /** Returns `unknown` before this replica has read a plan: the cluster may be its own. */
  #stateOf(name: ClusterName): OwnershipState | 'unknown' {
    const { ownership } = this.#options;
    const state = ownership.stateOf(name);
    return state === 'elsewhere' && ownership.ownerOf(name) === undefined ? 'unknown' : state;
  }

  #hold(name: ClusterName, state: OwnershipState | 'unknown'): void {
    const { queue } = this.#options;
    if (state === 'warming' || state === 'draining' || state === 'unknown') {
      if (this.#held.has(name)) return;
      this.#held.add(name);
      queue.hold(name);
    } else if (this.#held.delete(name)) {
      queue.resume(name);
    }
  }

  #warn(source: ClusterName, cluster: ClusterName): void {
    const { log, ownership } = this.#options;
    const level = this.#hasWarned ? 'debug' : 'warn';
    this.#hasWarned = true;
    log[level]('dropped a request for a cluster of another replica, which may not watch its source', {
      cluster,
      owner: ownership.ownerOf(cluster),
      source,
    });
  }
}
