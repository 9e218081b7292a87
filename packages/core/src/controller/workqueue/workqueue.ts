import type { Clock } from '@mcr/client';
import { systemClock } from '@mcr/client';
import type { WorkQueueMetrics } from '../../manager/metrics/controller-metrics.ts';
import type { ClusterName } from '../../fleet/multicluster/cluster-name.ts';
import type { RequestType } from '../reconcile/request.ts';
import { ClusterShares } from './cluster-shares.ts';
import { DelayedItems } from './delayed-items.ts';
import { FairOrder } from './fair-order.ts';
import type { Item, LaneMode, QueueItem } from './item.ts';
import { isHandedOut, newItem } from './item.ts';
import type { Linked } from './linked-list.ts';
import { LinkedList } from './linked-list.ts';
import type { RateLimiter } from './rate-limiter.ts';
import { defaultRateLimiter } from './rate-limiter.ts';
import type { AddOptions, RequestQueue } from './request-queue.ts';

export interface WorkQueueOptions<R> {
  readonly requestType: RequestType<R>;
  /** How many requests of one cluster may be processed at once. Default: no limit. */
  readonly maxConcurrentPerCluster?: number;
  /**
   * How many requests are processed at once. Clusters that are not `open` together hold at most half of them, and at
   * least one. A single worker serves them only while no other request waits. Default: no limit.
   */
  readonly workers?: number;
  /**
   * `cluster`: within a priority the clusters take turns. `none`: what was added first comes first, whatever its
   * cluster. Default: `cluster`.
   */
  readonly fairness?: 'cluster' | 'none';
  /** Whether priorities count; without, all are equal. Default: true. */
  readonly priorityQueue?: boolean;
  /** Default: {@link defaultRateLimiter}. */
  readonly rateLimiter?: RateLimiter;
  /** Default: the system's. */
  readonly clock?: Clock;
  /** Told of the life of every item. Default: nobody is. */
  readonly metrics?: WorkQueueMetrics;
}

/** Somebody who waits in `get`. */
interface Getter<R> extends Linked<Getter<R>> {
  readonly resolve: (item: QueueItem<R> | undefined) => void;
}

/**
 * The requests of one controller, of all clusters.
 *
 * - A request is handed out by {@link get} or {@link tryGet}, and given back with {@link done}. Until then its key is
 *   not handed out again, however often it is added; added meanwhile, it follows after `done`.
 * - Higher priorities come first, but never starve lower ones quite; within a priority the clusters take turns;
 *   within a cluster it is first in, first out.
 * - A cluster that leaves takes its requests along: {@link dropCluster}.
 *
 * (Upstream: client-go's `util/workqueue` and controller-runtime's `priorityqueue`.)
 */
export class WorkQueue<R> implements RequestQueue<R> {
  readonly #type: RequestType<R>;
  readonly #usesPriorities: boolean;
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

  /** How many requests wait to be handed out; delayed ones do not count. */
  get length(): number {
    return this.#order.length;
  }

  /** Whether requests of open lanes could be handed out, but no worker is free. */
  get isStarved(): boolean {
    return this.#getters.first === undefined && this.#order.hasOpen;
  }

  /** Whether requests of a cluster whose lane is not open wait to be handed out. */
  isHeldBack(name: ClusterName): boolean {
    return this.#shares.isHeldBack(name);
  }

  add(request: R, options: AddOptions = {}): void {
    if (this.#shutDown) return;
    this.#enqueue(request, this.#type.key(request), this.#type.clusterOf(request), options);
    this.#serve();
  }

  /** The next request, when one can be handed out now. */
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
   * The next request, as soon as there is one; `undefined` once the queue is shut down.
   *
   * @throws the signal's reason, when that aborts first.
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
   * Gives a request back, so that its key may be handed out again.
   *
   * @param again puts it back into the queue, with the priority it had unless this says otherwise. Nothing happens
   *   when its cluster was dropped while it was processed.
   */
  done(handedOut: QueueItem<R>, again?: AddOptions): void {
    // What was handed out is the queue's own item.
    const item = handedOut as Item<R>;
    const { place, share, key, request, priority } = item;
    if (!isHandedOut(item)) return;
    this.#processing -= 1;
    if (!item.abandoned) this.#shares.leave(share);
    this.#metrics?.done(item);
    if (this.#shutDown) {
      item.place = 'done';
      if (this.#processing === 0) this.#drained?.resolve();
      return;
    }
    if (again && place !== 'dropped') this.#enqueue(request, key, share.clusterName, { priority, ...again });
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

  /** Sets how the requests of a cluster are handed out from now on; default: `open`. It outlasts {@link dropCluster}. */
  setLane(name: ClusterName, mode: LaneMode): void {
    this.#shares.setLane(name, mode);
    this.#serve();
  }

  /** Changes how many requests of one cluster may be processed at once. */
  setMaxConcurrentPerCluster(count: number): void {
    this.#shares.setCap(count);
    this.#serve();
  }

  /**
   * Marks a request that was handed out as holding no worker, although its reconcile may continue: other requests of
   * its cluster may be handed out. Its key is not handed out again before {@link done}.
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

  /** Ends the backoff of a request. */
  forget({ key, clusterName }: Pick<QueueItem<R>, 'key' | 'clusterName'>): void {
    this.#limiter.forget(key, clusterName);
  }

  /** How often a request has been put back with backoff since it was last forgotten. */
  attempts({ key, clusterName }: Pick<QueueItem<R>, 'key' | 'clusterName'>): number {
    return this.#limiter.attempts(key, clusterName);
  }

  /**
   * Drops what is pending of a cluster, delayed requests and backoff included. What is being processed of it goes on,
   * and is not put back by {@link done}. An `add` after this counts again: it is of the cluster's next engagement.
   */
  dropCluster(name: ClusterName): void {
    this.#limiter.dropCluster(name);
    const share = this.#shares.get(name);
    if (!share) return;
    for (const item of share.items.values()) {
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

  /** Hands out nothing more, drops what is pending and ignores what is added. Everybody in {@link get} gets `undefined`. */
  shutDown(): void {
    if (this.#shutDown) return;
    this.#shutDown = true;
    for (const name of this.#shares.names()) this.dropCluster(name);
    // The timer may be that of a request that was hastened and is done: then no drop has come by it.
    this.#delayed.arm();
    for (let getter = this.#getters.shift(); getter; getter = this.#getters.shift()) getter.resolve(undefined);
  }

  /**
   * Shuts down, and resolves when everything that was handed out is done.
   *
   * @throws the signal's reason, when that aborts first.
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
    if (pending) {
      this.#hasten(pending, readyAt, priority);
      return;
    }
    const item = newItem(request, key, share, priority);
    item.follows = present !== undefined;
    if (present) present.successor = item;
    else share.items.set(key, item);
    this.#place(item, readyAt);
  }

  /** Moves a pending item to the higher priority and the earlier instant, its own or the given ones. */
  #hasten(item: Item<R>, readyAt: number, priority: number): void {
    const present = item.delay?.readyAt ?? 0;
    const moves = readyAt < present || (priority > item.priority && item.place === 'waiting');
    if (moves) this.#unplace(item);
    item.priority = Math.max(priority, item.priority);
    if (moves) this.#place(item, Math.min(readyAt, present));
  }

  /** @param readyAt 0: now. */
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

  /** Hands what can be handed out to those who wait for it. */
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
