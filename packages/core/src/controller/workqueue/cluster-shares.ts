import type { ClusterName } from '../../fleet/multicluster/cluster-name.ts';
import type { FairOrder, SlowTurns } from './fair-order.ts';
import type { LaneMode, Share, Turn } from './item.ts';
import { newTurn } from './item.ts';

export interface ClusterSharesOptions<R> {
  readonly order: FairOrder<R>;
  /** Maximum number of requests of one cluster that are processed concurrently. */
  readonly cap: number;
  /** Maximum number of requests that are processed concurrently. */
  readonly workers: number;
  /** `none`: all open clusters have one turn. */
  readonly fairness: 'cluster' | 'none';
}

/** Limits the concurrent requests of each cluster, by the cap per cluster and by the mode of its lane. */
export class ClusterShares<R> {
  readonly #order: FairOrder<R>;
  #cap: number;
  readonly #workers: number;
  readonly #maxSlow: number;
  /** Turn that all open clusters share if they do not take turns. */
  readonly #commonTurn: Turn<R> | undefined;
  /** Share of each cluster that has a pending item or one in process. */
  readonly #byName = new Map<ClusterName, Share<R>>();
  /** Mode of each cluster whose lane is not open. */
  readonly #modes = new Map<ClusterName, LaneMode>();
  /** Number of requests in process of clusters whose lane is not open. */
  #slowProcessing = 0;

  constructor({ order, cap, workers, fairness }: ClusterSharesOptions<R>) {
    this.#order = order;
    this.#cap = cap;
    this.#workers = workers;
    this.#maxSlow = Math.max(1, Math.floor(workers / 2));
    this.#commonTurn = fairness === 'none' ? newTurn() : undefined;
  }

  /** Whether the lanes of clusters that are not open may be served now. */
  get slowTurns(): SlowTurns {
    if (this.#slowProcessing >= this.#maxSlow) return 'none';
    return this.#workers === 1 ? 'idle' : 'shared';
  }

  names(): ClusterName[] {
    return [...this.#byName.keys()];
  }

  get(name: ClusterName): Share<R> | undefined {
    return this.#byName.get(name);
  }

  /** Returns the share of a cluster, and creates it if necessary. */
  of(name: ClusterName): Share<R> {
    return this.#byName.get(name) ?? this.#make(name);
  }

  /** Forgets a cluster that has no items. */
  release({ items, clusterName }: Share<R>): void {
    if (items.size === 0) this.#byName.delete(clusterName);
  }

  /** A request of the cluster is handed out. */
  enter(share: Share<R>): void {
    share.processing += 1;
    if (share.mode !== 'open') this.#slowProcessing += 1;
    if (share.processing >= this.#limitOf(share)) this.#order.park(share.turn);
  }

  /** A request of the cluster no longer holds a worker. */
  leave(share: Share<R>): void {
    share.processing -= 1;
    if (share.mode !== 'open') this.#slowProcessing -= 1;
    if (share.processing < this.#limitOf(share)) this.#order.unpark(share.turn);
  }

  /** Whether requests of a cluster whose lane is not open are waiting. */
  isHeldBack(name: ClusterName): boolean {
    const share = this.#byName.get(name);
    return share !== undefined && share.mode !== 'open' && share.turn.lanes.length > 0;
  }

  /** Outlasts {@link release}. */
  setLane(name: ClusterName, mode: LaneMode): void {
    if (mode === 'open') this.#modes.delete(name);
    else this.#modes.set(name, mode);
    const share = this.#byName.get(name);
    if (!share || share.mode === mode) return;
    const isOpen = mode === 'open';
    const wasOpen = share.mode === 'open';
    share.mode = mode;
    if (isOpen !== wasOpen) {
      this.#slowProcessing += isOpen ? -share.processing : share.processing;
      if (this.#commonTurn) this.#moveItems(share, isOpen ? this.#commonTurn : newTurn());
      else this.#order.setSlow(share.turn, !isOpen);
    }
    this.#parkOrNot(share);
  }

  setCap(cap: number): void {
    if (cap === this.#cap) return;
    this.#cap = cap;
    for (const share of this.#byName.values()) this.#parkOrNot(share);
  }

  #make(clusterName: ClusterName): Share<R> {
    const mode = this.#modes.get(clusterName) ?? 'open';
    const turn = mode === 'open' && this.#commonTurn ? this.#commonTurn : newTurn<R>();
    const share: Share<R> = { clusterName, items: new Map(), processing: 0, mode, turn };
    if (mode !== 'open') {
      this.#order.setSlow(turn, true);
      this.#parkOrNot(share);
    }
    this.#byName.set(clusterName, share);
    return share;
  }

  #limitOf({ mode }: Share<R>): number {
    if (mode === 'parked') return 0;
    return mode === 'trial' ? 1 : this.#cap;
  }

  #parkOrNot(share: Share<R>): void {
    if (share.processing >= this.#limitOf(share)) this.#order.park(share.turn);
    else this.#order.unpark(share.turn);
  }

  /** If clusters do not take turns, a cluster whose lane is not open has its own turn. */
  #moveItems(share: Share<R>, turn: Turn<R>): void {
    const waiting = [...share.items.values()].filter(({ place }) => place === 'waiting');
    for (const item of waiting) this.#order.remove(item);
    share.turn = turn;
    this.#order.setSlow(turn, turn !== this.#commonTurn);
    for (const item of waiting) this.#order.push(item);
  }
}
