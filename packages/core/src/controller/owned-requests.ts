import type { Logger } from '@mcr/client';
import type { ClusterName } from '../fleet/multicluster/cluster-name.ts';
import { LOCAL_CLUSTER } from '../fleet/multicluster/cluster-name.ts';
import type { Ownership, OwnershipState } from '../fleet/multicluster/ownership.ts';
import type { RequestType } from './reconcile/request.ts';
import type { AddOptions, RequestQueue } from './workqueue/request-queue.ts';
import type { WorkQueue } from './workqueue/workqueue.ts';

export interface OwnedRequestsOptions<R> {
  readonly ownership: Ownership;
  readonly queue: WorkQueue<R>;
  readonly requestType: RequestType<R>;
  readonly log: Logger;
  /** Called when a cluster is no longer served, before its requests may be owned elsewhere. */
  readonly onLost: (name: ClusterName) => void;
  /**
   * Called with clusters whose objects have to be delivered again: this process serves them from now on, and dropped
   * their requests before, or another replica may have reconciled them meanwhile.
   */
  readonly onGained: (names: ReadonlySet<ClusterName>) => void;
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
  readonly #served = new Set<ClusterName>();
  /** This replica, as `ownerOf` returns it. Not known before it owns a cluster. */
  #self: string | undefined;
  #hasWarned = false;
  #ignoreChanges: (() => void) | undefined;

  constructor(options: OwnedRequestsOptions<R>) {
    this.#options = options;
  }

  /** Follows the ownership until {@link close}. Requests are added only after this. */
  follow(): void {
    const { ownership } = this.#options;
    this.#ignoreChanges ??= ownership.onChange((changes) => this.#onChange(changes));
    this.#onChange(new Map([...this.#served].map((name) => [name, ownership.stateOf(name)])));
  }

  /** Ignores further changes of the ownership. */
  close(): void {
    this.#ignoreChanges?.();
  }

  /** Adds a request, unless its cluster is owned elsewhere. */
  add(request: R, options?: AddOptions): void {
    this.#add(request, options);
  }

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
    const state = this.#options.ownership.stateOf(name);
    this.#hold(name, state);
    if (state === 'elsewhere' || this.#served.has(name)) return;
    this.#served.add(name);
    // It was not declared when this process began to serve it, so that no change was reported.
    this.#options.onGained(new Set([name]));
  }

  /** Forgets a cluster that was disengaged, because the fleet may not contain it any more. */
  disengage(name: ClusterName): void {
    this.#served.delete(name);
  }

  /** Whether this process serves the cluster, or is its next owner. */
  serves(name: ClusterName): boolean {
    return this.#options.ownership.stateOf(name) !== 'elsewhere';
  }

  /**
   * Returns what becomes of a request that the queue handed out: it is reconciled, returns to the queue, where it waits,
   * or is dropped.
   */
  dispose(name: ClusterName): 'reconcile' | 'wait' | 'drop' {
    const state = this.#options.ownership.stateOf(name);
    if (state === 'active') return 'reconcile';
    this.#hold(name, state);
    return state === 'elsewhere' ? 'drop' : 'wait';
  }

  /** Records that a reconcile begins. Returns a function that records its end. */
  begin(name: ClusterName): () => void {
    return this.#options.ownership.begin(name);
  }

  /** Returns whether the request was added. */
  #add(request: R, options: AddOptions | undefined): boolean {
    const { ownership, queue, requestType } = this.#options;
    const name = requestType.clusterOf(request);
    const state = ownership.stateOf(name);
    if (state === 'elsewhere') return false;
    this.#hold(name, state);
    queue.add(request, options);
    return true;
  }

  #onChange(changes: ReadonlyMap<ClusterName, OwnershipState>): void {
    const { ownership, onLost, onGained } = this.#options;
    const gained = new Set<ClusterName>();
    for (const [name, state] of changes) {
      if (state === 'active') this.#self = ownership.ownerOf(name);
      if (state === 'elsewhere') {
        if (this.#served.delete(name)) onLost(name);
      } else if (!this.#served.has(name)) {
        this.#served.add(name);
        gained.add(name);
      } else if (state === 'warming' && (this.#self === undefined || ownership.ownerOf(name) !== this.#self)) {
        // Another replica got the cluster while this one let go of it, and will give it back.
        gained.add(name);
      }
      this.#hold(name, state);
    }
    // The changes of clusters that the fleet does not contain, or no longer contains, are not reported.
    for (const name of this.#held) if (!changes.has(name)) this.#hold(name, ownership.stateOf(name));
    for (const name of this.#served) {
      if (changes.has(name) || ownership.stateOf(name) !== 'elsewhere') continue;
      this.#served.delete(name);
      onLost(name);
    }
    if (gained.size > 0) onGained(gained);
  }

  #hold(name: ClusterName, state: OwnershipState): void {
    const { queue } = this.#options;
    if (state === 'warming' || state === 'draining') {
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
