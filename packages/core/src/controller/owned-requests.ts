import type { ClusterName } from '../fleet/multicluster/cluster-name.ts';
import type { Ownership, OwnershipState } from '../fleet/multicluster/ownership.ts';
import type { RequestType } from './reconcile/request.ts';
import type { RequestQueue } from './workqueue/request-queue.ts';
import type { WorkQueue } from './workqueue/workqueue.ts';

export interface OwnedRequestsOptions<R> {
  readonly ownership: Ownership;
  readonly queue: WorkQueue<R>;
  readonly requestType: RequestType<R>;
  /** Called when clusters are no longer owned, before their requests may be owned elsewhere. */
  readonly onLost: (name: ClusterName) => void;
  /** Called with clusters that this process serves from now on. Requests for them that arrived earlier were dropped. */
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
  /** Declared clusters in another state than `elsewhere`. */
  readonly #served = new Set<ClusterName>();
  readonly #ignoreChanges: () => void;

  constructor(options: OwnedRequestsOptions<R>) {
    this.#options = options;
    this.#ignoreChanges = options.ownership.onChange((changes) => this.#onChange(changes));
  }

  /** Adds a request, unless its cluster is owned elsewhere. */
  add(...[request, options]: Parameters<RequestQueue<R>['add']>): void {
    const { ownership, queue, requestType } = this.#options;
    const name = requestType.clusterOf(request);
    const state = ownership.stateOf(name);
    if (state === 'elsewhere') return;
    this.#hold(name, state);
    queue.add(request, options);
  }

  /** Applies the state of a cluster that is being engaged. */
  engage(name: ClusterName): void {
    const state = this.#options.ownership.stateOf(name);
    if (state !== 'elsewhere') this.#served.add(name);
    this.#hold(name, state);
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

  /** Ignores further changes of the ownership. */
  close(): void {
    this.#ignoreChanges();
  }

  #onChange(changes: ReadonlyMap<ClusterName, OwnershipState>): void {
    const { ownership, onLost, onGained } = this.#options;
    const gained = new Set<ClusterName>();
    for (const [name, state] of changes) {
      if (state === 'elsewhere') {
        if (this.#served.delete(name)) onLost(name);
      } else if (!this.#served.has(name)) {
        this.#served.add(name);
        gained.add(name);
      }
      this.#hold(name, state);
    }
    // Requests may name clusters that the fleet does not contain, whose changes are not reported.
    for (const name of this.#held) if (!changes.has(name)) this.#hold(name, ownership.stateOf(name));
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
}
