import type { ClusterName } from '../../fleet/multicluster/cluster-name.ts';
import type { Delayed } from './delay-heap.ts';
import type { LaneItems } from './lane-items.ts';
import type { Linked } from './linked-list.ts';

/** A request that was handed out. It belongs to the caller until `done` is called with it. */
export interface QueueItem<R> {
  readonly request: R;
  /** Requests of one cluster with equal keys are merged. */
  readonly key: string;
  readonly clusterName: ClusterName;
  readonly priority: number;
}

/**
 * State of an item:
 * - `delayed`: in the heap until it is due, then `waiting` or `held`.
 * - `waiting`: in a lane until it is handed out, then `processing`.
 * - `held`: in no lane, because the earlier item of its key is `processing`. `waiting` when that one is done.
 * - `processing`: with a caller until the caller returns it, then `done`.
 * - `dropped`: like `processing`, but its cluster was dropped, so that it is not added again.
 * - `done`: no longer in the queue.
 */
export type Place = 'delayed' | 'waiting' | 'held' | 'processing' | 'dropped' | 'done';

export interface Item<R> extends QueueItem<R>, Linked<Item<R>> {
  readonly share: Share<R>;
  priority: number;
  place: Place;
  /** Other cluster whose event caused the request. Changes only while the item is in no lane. Default: the cluster itself. */
  cause: ClusterName | undefined;
  /** While handed out: its reconcile was abandoned and no longer holds a worker. */
  abandoned: boolean;
  /**
   * Set while `processing` or `dropped` if its key was added again. The successor is `held` or `delayed`, never
   * `waiting`, so that no key is handed out again before it is done (WQ-2, WQ-3).
   */
  successor: Item<R> | undefined;
  /** Whether it is the `successor` of another item. */
  follows: boolean;
  /** Set while `delayed`. */
  delay: Delay<R> | undefined;
  /** Set while `waiting`. */
  lane: Lane<R> | undefined;
}

/** An item's entry in the heap. */
export interface Delay<R> extends Delayed {
  readonly item: Item<R>;
}

/** The part of the queue that belongs to one cluster. */
export interface Share<R> {
  readonly clusterName: ClusterName;
  /**
   * One item for each pending or processing key (the sets `dirty` and `processing` of client-go). A pending key is not
   * added again (WQ-1).
   */
  readonly items: Map<string, Item<R>>;
  /** Number of items that are `processing`. */
  processing: number;
  mode: LaneMode;
  /** Whether its requests wait until the cluster is resumed. */
  held: boolean;
  /** Maximum number of items that are `processing`, by {@link mode}, {@link held} and the cap per cluster. */
  limit: number;
  /** The cluster's own turn, or the common turn of all clusters without restrictions if clusters do not take turns. */
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

/**
 * A participant in the turns: one cluster, or all clusters without restrictions together if clusters do not take turns.
 */
export interface Turn<R> {
  /** One for each priority with waiting items. */
  readonly lanes: Lane<R>[];
  /** Whether its lanes are skipped, because the cluster is parked or held, or holds as many workers as it may. */
  parked: boolean;
  /** Whether its lanes take turns with those of other slow clusters, separate from open lanes. */
  slow: boolean;
}

/** The waiting items of one turn and one priority. Never empty. */
export interface Lane<R> extends Linked<Lane<R>> {
  readonly turn: Turn<R>;
  readonly priority: number;
  readonly items: LaneItems<R>;
}

/** Whether an item is with a caller of the queue. */
export function isHandedOut({ place }: Item<unknown>): boolean {
  return place === 'processing' || place === 'dropped';
}

export function newTurn<R>(): Turn<R> {
  return { lanes: [], parked: false, slow: false };
}

/** Creates a pending item that is not in a heap or lane yet. */
export function newItem<R>(request: R, key: string, share: Share<R>, priority: number): Item<R> {
  return {
    request,
    key,
    clusterName: share.clusterName,
    priority,
    share,
    place: 'held',
    cause: undefined,
    abandoned: false,
    successor: undefined,
    follows: false,
    delay: undefined,
    lane: undefined,
    previous: undefined,
    next: undefined,
  };
}
