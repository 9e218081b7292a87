import type { Clock } from '@mcr/client';
import { foundText, systemClock } from '@mcr/client';
import type { WorkQueueMetrics } from '../../manager/metrics/controller-metrics.ts';
import type { ClusterName } from '../../fleet/multicluster/cluster-name.ts';
import { LOCAL_CLUSTER } from '../../fleet/multicluster/cluster-name.ts';
import type { RequestType } from '../reconcile/request.ts';
import { ClusterShares } from './cluster-shares.ts';
import { DelayedItems } from './delayed-items.ts';
import { FairOrder } from './fair-order.ts';
import type { Item, LaneMode, QueueItem } from './item.ts';
import { isHandedOut, newItem } from './item.ts';
import type { Linked } from './linked-list.ts';
import { LinkedList } from './linked-list.ts';
import type { RateLimiter } from './rate-limiter.ts';
import { defaultRateLimiter } from './rate-limiters.ts';
import type { AddOptions, RequestQueue } from './request-queue.ts';

/** Options of a {@link WorkQueue}. */
export interface WorkQueueOptions<R> {
  readonly requestType: RequestType<R>;
  /** Maximum number of requests of one cluster that are processed concurrently. Default: no limit. */
  readonly maxConcurrentPerCluster?: number;
  /**
   * Maximum number of requests that are processed concurrently. Clusters whose lanes are not `open` together hold at
   * most half of them, but at least one. A single worker serves them only while no other request waits. Default: no
   * limit.
   */
  readonly workers?: number;
  /**
   * With `cluster`, clusters take turns within a priority. With `none`, requests are in order of addition, independent
   * of their clusters. Default: `cluster`.
   */
  readonly fairness?: 'cluster' | 'none';
  /** Whether to respect priorities. Default: true. */
  readonly priorityQueue?: boolean;
  /** Default: {@link defaultRateLimiter}. */
  readonly rateLimiter?: RateLimiter;
  /** Default: the system clock. */
  readonly clock?: Clock;
  /** Measures every request. Default: nothing is measured. */
  readonly metrics?: WorkQueueMetrics;
}

/** A caller that waits in `get`. */
interface Getter<R> extends Linked<Getter<R>> {
  readonly resolve: (item: QueueItem<R> | undefined) => void;
}

/**
 * The requests of one controller for all clusters.
 *
 * - {@link get} or {@link tryGet} hand out a request, and {@link done} returns it. Until then, its key is not handed
 * out again, however often it is added. If it was added in the meantime, it follows after `done`.
 * - Requests with higher priorities come first, but do not starve others. Within a priority, clusters take turns. Within
 * a cluster, requests are first in, first out. Requests for the local cluster that events of other clusters caused alternate
 * with its own, and take turns by these clusters.
 * - {@link hold} keeps the requests of a cluster waiting until {@link resume}.
 * - {@link dropCluster} drops all requests of a disengaged cluster.
 *
 * (Upstream: client-go's `util/workqueue` and controller-runtime's `priorityqueue`.)
 */
export class WorkQueue<R> implements RequestQueue<R> {
  readonly #type: RequestType<R>;
  readonly #usesPriorities: boolean;
  readonly #takesTurns: boolean;
  readonly #limiter: RateLimiter;
  readonly #clock: Clock;
  readonly #metrics: WorkQueueMetrics | undefined;
  readonly #order = new FairOrder<R>();
  readonly #shares: ClusterShares<R>;
  readonly #delayed: DelayedItems<R>;
  readonly #getters = new LinkedList<Getter<R>>();
  #processing = 0;
  #shutDown = false;
  #drained: PromiseWithResolvers<void> | undefined;

  constructor(options: WorkQueueOptions<R>) {
    this.#type = options.requestType;
    this.#usesPriorities = options.priorityQueue ?? true;
    const { fairness = 'cluster', maxConcurrentPerCluster, workers = Infinity } = options;
    if (fairness === 'none' && maxConcurrentPerCluster !== undefined) {
      throw new TypeError('maxConcurrentPerCluster needs clusters that take turns: leave out fairness "none"');
    }
    this.#takesTurns = fairness === 'cluster';
    this.#shares = new ClusterShares({
      order: this.#order,
      workers,
      fairness,
      cap: maxConcurrentPerCluster ?? Infinity,
    });
    this.#clock = options.clock ?? systemClock;
    this.#delayed = new DelayedItems({ clock: this.#clock, onDue: (items) => this.#onDue(items) });
    this.#limiter = options.rateLimiter ?? defaultRateLimiter(this.#clock);
    this.#metrics = options.metrics;
  }

  /** Number of waiting requests, without delayed ones. */
  get length(): number {
    return this.#order.length;
  }

  /** Whether requests of open lanes could be handed out, but no worker is free. */
  get isStarved(): boolean {
    return this.#getters.first === undefined && this.#order.hasOpen;
  }

  /** Whether requests of a cluster whose lane is not open are waiting. */
  isHeldBack(name: ClusterName): boolean {
    return this.#shares.isHeldBack(name);
  }

  add(request: R, options: AddOptions = {}): void {
    if (this.#shutDown) return;
    const name: unknown = this.#type.clusterOf(request);
    if (typeof name !== 'string') {
      throw new TypeError(
        `request ${this.#type.key(request)}: expected the name of its cluster, found ${foundText(name)}: set clusterName`,
      );
    }
    this.#enqueue(request, this.#type.key(request), name, options);
    this.#serve();
  }

  /** Hands out the next request, or returns `undefined` if there is none. */
  tryGet(): QueueItem<R> | undefined {
    const item = this.#order.shift(this.#shares.slowTurns);
    if (!item) return undefined;
    item.place = 'processing';
    this.#processing += 1;
    this.#shares.enter(item.share);
    this.#metrics?.handedOut(item);
    return item;
  }

  /**
   * Hands out the next request as soon as there is one. Resolves with `undefined` once the queue is shut down.
   *
   * @throws the signal's reason, if it aborts first.
   */
  get(signal?: AbortSignal): Promise<QueueItem<R> | undefined> {
    const item = this.tryGet();
    if (item || this.#shutDown) return Promise.resolve(item);
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const getter: Getter<R> = {
        resolve: (next) => {
          signal?.removeEventListener('abort', onAbort);
          resolve(next);
        },
        previous: undefined,
        next: undefined,
      };
      const onAbort = () => {
        this.#getters.remove(getter);
        reject(signal?.reason as Error);
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#getters.push(getter);
    });
  }

  /**
   * Returns a request to the queue, so that its key may be handed out again.
   *
   * @param again adds the request again, by default with its previous priority. It has no effect if the cluster was
   * dropped in the meantime.
   */
  done(handedOut: QueueItem<R>, again?: AddOptions): void {
    // The queue hands out its own items.
    const item = handedOut as Item<R>;
    const { place, share, key, request, priority, cause } = item;
    if (!isHandedOut(item)) return;
    this.#processing -= 1;
    if (!item.abandoned) this.#shares.leave(share);
    this.#metrics?.done(item);
    if (this.#shutDown) {
      item.place = 'done';
      if (this.#processing === 0) this.#drained?.resolve();
      return;
    }
    if (again && place !== 'dropped') {
      this.#enqueue(request, key, share.clusterName, { priority, ...(cause !== undefined && { cause }), ...again });
    }
    item.place = 'done';
    const { successor } = item;
    if (successor) {
      share.items.set(key, successor);
      successor.follows = false;
      if (successor.place === 'held') this.#makeReady(successor);
    } else {
      share.items.delete(key);
      this.#shares.release(share);
    }
    this.#serve();
  }

  /** Sets the mode of a cluster's lane. Default: `open`. {@link dropCluster} does not reset it. */
  setLane(name: ClusterName, mode: LaneMode): void {
    this.#shares.setLane(name, mode);
    this.#serve();
  }

  /**
   * Holds back all requests of a cluster until {@link resume}: they are added, merged, delayed and counted as always, but
   * not handed out, whatever the mode of its lane is. Requests in progress continue. {@link dropCluster} does not end it.
   */
  hold(name: ClusterName): void {
    this.#shares.setHeld(name, true);
  }

  /** Ends {@link hold}. */
  resume(name: ClusterName): void {
    this.#shares.setHeld(name, false);
    this.#serve();
  }

  /** Changes the maximum number of requests of one cluster that are processed concurrently. */
  setMaxConcurrentPerCluster(count: number): void {
    this.#shares.setCap(count);
    this.#serve();
  }

  /**
   * Marks a request in progress as not holding a worker, although its reconcile may continue. Other requests of its
   * cluster may be handed out, but its key not before {@link done}.
   */
  abandon(handedOut: QueueItem<R>): void {
    const item = handedOut as Item<R>;
    if (!isHandedOut(item) || item.abandoned) return;
    item.abandoned = true;
    this.#shares.leave(item.share);
    this.#serve();
  }

  /** Whether the cluster of a request was dropped since it was handed out. */
  isDropped(handedOut: QueueItem<R>): boolean {
    return (handedOut as Item<R>).place === 'dropped';
  }

  /** Resets the backoff of a request. */
  forget({ key, clusterName }: Pick<QueueItem<R>, 'key' | 'clusterName'>): void {
    this.#limiter.forget(key, clusterName);
  }

  /** Returns how often a request was added with backoff since it was last forgotten. */
  attempts({ key, clusterName }: Pick<QueueItem<R>, 'key' | 'clusterName'>): number {
    return this.#limiter.attempts(key, clusterName);
  }

  /**
   * Drops the pending requests of a cluster, including delayed requests and backoff. Requests in progress continue, but
   * {@link done} does not add them again. Requests added afterwards belong to the next engagement of the cluster.
   */
  dropCluster(name: ClusterName): void {
    this.#limiter.dropCluster(name);
    this.#dropItems(name, () => true);
  }

  /** Like {@link dropCluster}, but drops only the requests of the cluster that match. */
  dropRequests(name: ClusterName, matches: (item: QueueItem<R>) => boolean): void {
    this.#dropItems(name, (item) => {
      if (!matches(item)) return false;
      this.forget(item);
      return true;
    });
  }

  #dropItems(name: ClusterName, matches: (item: QueueItem<R>) => boolean): void {
    const share = this.#shares.get(name);
    if (!share) return;
    for (const item of share.items.values()) {
      if (!matches(item)) continue;
      if (isHandedOut(item)) {
        item.place = 'dropped';
        if (item.successor) this.#drop(item.successor);
        item.successor = undefined;
      } else {
        this.#drop(item);
        share.items.delete(item.key);
      }
    }
    this.#shares.release(share);
    this.#delayed.arm();
  }

  /** Drops all pending requests and ignores further ones. Pending calls of {@link get} resolve with `undefined`. */
  shutDown(): void {
    if (this.#shutDown) return;
    this.#shutDown = true;
    for (const name of this.#shares.names()) this.dropCluster(name);
    // The timer may belong to a request that was moved to an earlier time and is done. Then no drop has removed it.
    this.#delayed.arm();
    for (let getter = this.#getters.shift(); getter; getter = this.#getters.shift()) getter.resolve(undefined);
  }

  /**
   * Shuts down, and resolves when all requests in progress are done.
   *
   * @throws the signal's reason, if it aborts first.
   */
  async shutDownWithDrain(signal: AbortSignal): Promise<void> {
    this.shutDown();
    if (this.#processing === 0) return;
    signal.throwIfAborted();
    this.#drained ??= Promise.withResolvers();
    const aborted = Promise.withResolvers<never>();
    const onAbort = () => aborted.reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      await Promise.race([this.#drained.promise, aborted.promise]);
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  #enqueue(request: R, key: string, clusterName: ClusterName, options: AddOptions): void {
    const { after = 0 } = options;
    const priority = this.#usesPriorities ? (options.priority ?? 0) : 0;
    const delay = after === 'backoff' ? this.#limiter.when(key, clusterName) : after;
    if (Number.isNaN(delay) || Number.isNaN(priority)) {
      throw new RangeError(
        `delay and priority of ${key} in cluster "${clusterName}" must be numbers, found ${delay} and ${priority}`,
      );
    }
    const readyAt = delay > 0 ? this.#clock.now() + delay : 0;
    if (delay > 0) this.#metrics?.delayed();
    const share = this.#shares.of(clusterName);
    const present = share.items.get(key);
    const pending = present && isHandedOut(present) ? present.successor : present;
    const cause = this.#causeOf(clusterName, options);
    if (pending) {
      this.#hasten(pending, { readyAt, priority, cause });
      return;
    }
    const item = newItem(request, key, share, priority);
    item.cause = cause;
    item.follows = present !== undefined;
    if (present) present.successor = item;
    else share.items.set(key, item);
    this.#place(item, readyAt);
  }

  /** Returns the other cluster that caused a request. A request for a member counts for that member. */
  #causeOf(clusterName: ClusterName, { cause }: AddOptions): ClusterName | undefined {
    return this.#takesTurns && clusterName === LOCAL_CLUSTER && cause !== LOCAL_CLUSTER ? cause : undefined;
  }

  /**
   * Raises a pending item to the given priority and moves it to the given time, if these are higher and earlier. Another cause
   * may replace the present one.
   */
  #hasten(
    item: Item<R>,
    added: { readonly readyAt: number; readonly priority: number; readonly cause: ClusterName | undefined },
  ): void {
    const present = item.delay?.readyAt ?? 0;
    const { readyAt, priority } = added;
    const cause = this.#shares.causeOf(item.share, item.cause, added.cause);
    const isRaised = priority > item.priority || cause !== item.cause;
    const moves = readyAt < present || (isRaised && item.place === 'waiting');
    if (moves) this.#unplace(item);
    item.cause = cause;
    item.priority = Math.max(priority, item.priority);
    if (moves) this.#place(item, Math.min(readyAt, present));
  }

  /** @param readyAt time at which the item is due. 0 means now. */
  #place(item: Item<R>, readyAt: number): void {
    if (readyAt === 0) {
      this.#makeReady(item);
      return;
    }
    item.place = 'delayed';
    this.#delayed.add(item, readyAt);
  }

  #makeReady(item: Item<R>): void {
    item.place = item.follows ? 'held' : 'waiting';
    if (!item.follows) this.#order.push(item);
    this.#metrics?.waiting(item);
  }

  #unplace(item: Item<R>): void {
    if (item.place === 'waiting') this.#order.remove(item);
    this.#delayed.remove(item);
  }

  #drop(item: Item<R>): void {
    if (item.place === 'waiting' || item.place === 'held') this.#metrics?.dropped(item);
    this.#unplace(item);
  }

  /** Hands out requests to waiting callers. */
  #serve(): void {
    while (this.#getters.first) {
      const item = this.tryGet();
      if (!item) return;
      this.#getters.shift()?.resolve(item);
    }
  }

  #onDue(items: readonly Item<R>[]): void {
    for (const item of items) this.#makeReady(item);
    this.#serve();
  }
}
