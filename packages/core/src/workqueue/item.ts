import type { ClusterName } from '../multicluster/cluster-name.ts';
import type { Linked, LinkedList } from './linked-list.ts';

/** A request that was handed out, and is the caller's until it is given back with `done`. */
export interface QueueItem<R> {
  readonly request: R;
  /** Two requests with one key are the same work. */
  readonly key: string;
  readonly clusterName: ClusterName;
  readonly priority: number;
}

/**
 * Where an item is. It is in exactly one place:
 * - `delayed`: in the heap, until its instant comes, then `waiting` or `held`.
 * - `waiting`: in a lane, until it is handed out, then `processing`.
 * - `held`: nowhere, because an earlier item of its key is `processing`; `waiting` when that one is done.
 * - `processing`: with a caller, until `done`.
 */
export type Place = 'delayed' | 'waiting' | 'held' | 'processing';

export interface Item<R> extends QueueItem<R>, Linked<Item<R>> {
  priority: number;
  place: Place;
  /** While `delayed`: the instant at which it may be handed out. */
  readyAt: number;
  /** While `delayed`: orders items of one instant by when they were added. */
  sequence: number;
  /** While `delayed`: where it is in the heap. */
  heapIndex: number;
  /** While `waiting`: the lane it waits in. */
  lane: Lane<R> | undefined;
  /** While `processing`: its cluster was dropped meanwhile, so it is not to be queued again. */
  dropped: boolean;
}

/** One cluster's part of the queue. */
export interface Share<R> {
  readonly clusterName: ClusterName;
  /**
   * What is to be done, by key: client-go's `dirty`. An added key that is here already is not added again (WQ-1).
   * Never `processing`.
   */
  readonly pending: Map<string, Item<R>>;
  /**
   * What is being done, by key. A key may be in both maps: then the pending one is `delayed` or `held`, never
   * `waiting`, so that no key is handed out twice at once (WQ-2, WQ-3).
   */
  readonly processing: Map<string, Item<R>>;
  /** One for each priority that has items `waiting`. */
  readonly lanes: Lane<R>[];
  /** The cluster holds as many workers as it may: its lanes are passed over. */
  parked: boolean;
}

/** The waiting items of one cluster and one priority, in the order they were added; never empty. */
export interface Lane<R> extends Linked<Lane<R>> {
  readonly share: Share<R>;
  readonly priority: number;
  readonly items: LinkedList<Item<R>>;
}
