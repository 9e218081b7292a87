import type { ClusterName } from '../../fleet/multicluster/cluster-name.ts';
import type { Delayed } from './delay-heap.ts';
import type { Linked, LinkedList } from './linked-list.ts';

/** A request that was handed out, and is the caller's until it is given back with `done`. */
export interface QueueItem<R> {
  readonly request: R;
  /** Two requests of one cluster with one key are the same work. */
  readonly key: string;
  readonly clusterName: ClusterName;
  readonly priority: number;
}

/**
 * Where an item is:
 * - `delayed`: in the heap until its instant comes, then `waiting` or `held`.
 * - `waiting`: in a lane until it is handed out, then `processing`.
 * - `held`: nowhere, because the earlier item of its key is `processing`; `waiting` when that one is done.
 * - `processing`: with a caller until it is given back, then `done`.
 * - `dropped`: as `processing`, but its cluster was dropped meanwhile, so that it is not put back.
 * - `done`: out of the queue.
 */
export type Place = 'delayed' | 'waiting' | 'held' | 'processing' | 'dropped' | 'done';

export interface Item<R> extends QueueItem<R>, Linked<Item<R>> {
  readonly share: Share<R>;
  priority: number;
  place: Place;
  /** While handed out: its reconcile was abandoned and no longer holds a worker. */
  abandoned: boolean;
  /**
   * While `processing` or `dropped`: its key was added again meanwhile, and this is what comes after `done`: `held` or
   * `delayed`, never `waiting`, so that no key is handed out twice at once (WQ-2, WQ-3).
   */
  successor: Item<R> | undefined;
  /** It is the `successor` of another one. */
  follows: boolean;
  /** While `delayed`. */
  delay: Delay<R> | undefined;
  /** While `waiting`. */
  lane: Lane<R> | undefined;
}

/** An item's place in the heap. */
export interface Delay<R> extends Delayed {
  readonly item: Item<R>;
}

/** One cluster's part of the queue. */
export interface Share<R> {
  readonly clusterName: ClusterName;
  /**
   * One item for each key that is pending or processing (client-go's `dirty` and `processing` sets): a key that is
   * pending already is not added again (WQ-1).
   */
  readonly items: Map<string, Item<R>>;
  /** How many of them are `processing`. */
  processing: number;
  mode: LaneMode;
  /** The cluster's own level, or the common level of all open lanes if clusters do not take turns. */
  turn: Turn<R>;
}

/**
 * How the requests of one cluster are handed out:
 * - `open`: according to fairness, priority and the cap per cluster.
 * - `slow`: all clusters that are not open together hold at most half of the workers.
 * - `trial`: like `slow`, one request at a time.
 * - `parked`: none is handed out; they wait.
 */
export type LaneMode = 'open' | 'slow' | 'trial' | 'parked';

/** Who takes turns with others of the kind. */
export interface Turn<R> {
  /** One for each priority that has items `waiting`. */
  readonly lanes: Lane<R>[];
  /** The cluster holds as many workers as it may: its lanes are passed over. */
  parked: boolean;
  /** Its lanes take turns with those of other slow clusters, apart from the open ones. */
  slow: boolean;
}

/** The waiting items of one turn and one priority, in the order they were added; never empty. */
export interface Lane<R> extends Linked<Lane<R>> {
  readonly turn: Turn<R>;
  readonly priority: number;
  readonly items: LinkedList<Item<R>>;
}

/** Whether an item is with a caller of the queue. */
export function isHandedOut({ place }: Item<unknown>): boolean {
  return place === 'processing' || place === 'dropped';
}

export function newTurn<R>(): Turn<R> {
  return { lanes: [], parked: false, slow: false };
}

/** A pending item that has no place yet. */
export function newItem<R>(request: R, key: string, share: Share<R>, priority: number): Item<R> {
  return {
    request,
    key,
    clusterName: share.clusterName,
    priority,
    share,
    place: 'held',
    abandoned: false,
    successor: undefined,
    follows: false,
    delay: undefined,
    lane: undefined,
    previous: undefined,
    next: undefined,
  };
}
