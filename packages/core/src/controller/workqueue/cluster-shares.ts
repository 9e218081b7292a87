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
  /** `none`: all clusters without restrictions have one turn. */
  readonly fairness: 'cluster' | 'none';
}

/** Restricts one cluster. */
interface Restriction {
  readonly mode: LaneMode;
  readonly held: boolean;
}

const UNRESTRICTED: Restriction = { mode: 'open', held: false };

/**
 * Limits the concurrent requests of each cluster, by the cap per cluster and by its restriction: the mode of its lane,
 * and whether it is held.
 */
export class ClusterShares<R> {
  readonly #order: FairOrder<R>;
  #cap: number;
  readonly #workers: number;
  readonly #maxSlow: number;
  /** Turn that all clusters without restrictions share if they do not take turns. */
  readonly #commonTurn: Turn<R> | undefined;
  /** Share of each cluster that has a pending item or one in process. */
  readonly #byName = new Map<ClusterName, Share<R>>();
  /** Restrictions of clusters, which outlast {@link release}. */
  readonly #restrictions = new Map<ClusterName, Restriction>();
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

  /**
   * Returns the cause of a request that both `a` and `b` caused: the one with fewer waiting items, so that a busy cluster does
   * not delay what others caused, too. `undefined` stands for the cluster itself.
   */
  causeOf({ turn }: Share<R>, a: ClusterName | undefined, b: ClusterName | undefined): ClusterName | undefined {
    if (a === b) return a;
    const lengthOf = (cause: ClusterName | undefined) =>
      turn.lanes.reduce((sum, { items }) => sum + items.lengthOf(cause), 0);
    return lengthOf(b) < lengthOf(a) ? b : a;
  }

  /** A request of the cluster is handed out. */
  enter(share: Share<R>): void {
    share.processing += 1;
    if (share.mode !== 'open') this.#slowProcessing += 1;
    if (share.processing >= share.limit) this.#order.park(share.turn);
  }

  /** A request of the cluster no longer holds a worker. */
  leave(share: Share<R>): void {
    share.processing -= 1;
    if (share.mode !== 'open') this.#slowProcessing -= 1;
    if (share.processing < share.limit) this.#order.unpark(share.turn);
  }

  /** Whether requests of a cluster whose lane is not open are waiting. */
  isHeldBack(name: ClusterName): boolean {
    const share = this.#byName.get(name);
    return share !== undefined && share.mode !== 'open' && share.turn.lanes.length > 0;
  }

  setLane(name: ClusterName, mode: LaneMode): void {
    this.#restrict(name, { ...this.#restrictionOf(name), mode });
  }

  setHeld(name: ClusterName, held: boolean): void {
    this.#restrict(name, { ...this.#restrictionOf(name), held });
  }

  setCap(cap: number): void {
    if (cap === this.#cap) return;
    this.#cap = cap;
    for (const share of this.#byName.values()) this.#limit(share);
  }

  #restrictionOf(name: ClusterName): Restriction {
    return this.#restrictions.get(name) ?? UNRESTRICTED;
  }

  #restrict(name: ClusterName, restriction: Restriction): void {
    if (isRestricted(restriction)) this.#restrictions.set(name, restriction);
    else this.#restrictions.delete(name);
    const share = this.#byName.get(name);
    if (!share) return;
    const { mode, held } = restriction;
    const wasOpen = share.mode === 'open';
    const isOpen = mode === 'open';
    if (isOpen !== wasOpen) this.#slowProcessing += isOpen ? -share.processing : share.processing;
    share.mode = mode;
    share.held = held;
    const turn = this.#turnOf(restriction, share.turn);
    this.#order.setSlow(turn, !isOpen);
    if (turn !== share.turn) this.#moveItems(share, turn);
    this.#limit(share);
  }

  #make(clusterName: ClusterName): Share<R> {
    const restriction = this.#restrictionOf(clusterName);
    const { mode, held } = restriction;
    const turn = this.#turnOf(restriction);
    const share: Share<R> = { clusterName, items: new Map(), processing: 0, mode, held, limit: this.#cap, turn };
    if (isRestricted(restriction)) {
      this.#order.setSlow(turn, mode !== 'open');
      this.#limit(share);
    }
    this.#byName.set(clusterName, share);
    return share;
  }

  /**
   * Returns the common turn for clusters without restrictions if clusters do not take turns. All others have their own.
   *
   * @param present the cluster's turn, if it has one.
   */
  #turnOf(restriction: Restriction, present?: Turn<R>): Turn<R> {
    if (this.#commonTurn && !isRestricted(restriction)) return this.#commonTurn;
    return present && present !== this.#commonTurn ? present : newTurn();
  }

  #limit(share: Share<R>): void {
    share.limit = share.held ? 0 : limitOf(share.mode, this.#cap);
    if (share.processing >= share.limit) this.#order.park(share.turn);
    else this.#order.unpark(share.turn);
  }

  #moveItems(share: Share<R>, turn: Turn<R>): void {
    const waiting = [...share.items.values()].filter(({ place }) => place === 'waiting');
    for (const item of waiting) this.#order.remove(item);
    share.turn = turn;
    for (const item of waiting) this.#order.push(item);
  }
}

function isRestricted({ mode, held }: Restriction): boolean {
  return held || mode !== 'open';
}

function limitOf(mode: LaneMode, cap: number): number {
  if (mode === 'parked') return 0;
  return mode === 'trial' ? 1 : cap;
}
