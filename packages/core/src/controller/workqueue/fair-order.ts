import type { Item, Lane, Turn } from './item.ts';
import { LaneItems } from './lane-items.ts';
import { LinkedList } from './linked-list.ts';

/** While items of lower priorities wait, every hundredth item is taken from them. */
const LOWER_PRIORITY_TURN = 100;

/**
 * Whether lanes of slow clusters are served: not at all, only while all open lanes are empty, or alternating with open lanes.
 */
export type SlowTurns = 'none' | 'idle' | 'shared';

/** The lanes of one priority that may be served, in the order of their turns. Never empty. */
interface Level<R> {
  readonly priority: number;
  readonly open: LinkedList<Lane<R>>;
  readonly slow: LinkedList<Lane<R>>;
  /** Whether slow lanes have the next turn if both may be served. */
  slowIsNext: boolean;
  /** Total number of items handed out when this level was last served or created. */
  servedAt: number;
}

/**
 * Decides which waiting item is next. The highest priority is first. Within a priority, clusters take turns of one
 * item, with separate turns for slow clusters. Within a turn, the oldest item is first, but see {@link LaneItems} for items
 * that other clusters caused. Every hundredth item is taken
 * from the lower priority that has waited longest, so that a steady load does not starve it.
 */
export class FairOrder<R> {
  /** Highest priority first. */
  readonly #levels: Level<R>[] = [];
  #length = 0;
  /** Number of lanes of slow clusters in the levels. */
  #slowLanes = 0;
  #handedOut = 0;
  /** Number of items handed out since the last turn of a lower priority. */
  #passedOver = 0;

  /** Number of waiting items, including those of parked and held clusters. */
  get length(): number {
    return this.#length;
  }

  /** Whether an open lane has an item that may be handed out. */
  get hasOpen(): boolean {
    return this.#levels.some(({ open }) => open.first);
  }

  push(item: Item<R>): void {
    const { priority } = item;
    const { turn } = item.share;
    let lane = laneOf(turn, priority);
    if (!lane) {
      lane = { turn, priority, items: new LaneItems(), previous: undefined, next: undefined };
      turn.lanes.push(lane);
      if (!turn.parked) this.#activate(lane);
    }
    lane.items.push(item);
    item.lane = lane;
    this.#length += 1;
  }

  /** Removes and returns the next item, or `undefined` if no cluster that may be served has one. */
  shift(slowTurns: SlowTurns): Item<R> | undefined {
    // Fast path without slow clusters, because this runs for every item.
    const level = this.#nextLevel(this.#slowLanes === 0 ? this.#levels : this.#servable(slowTurns));
    const lanes = level && (this.#slowLanes === 0 ? level.open : nextRing(level, slowTurns));
    const lane = lanes?.shift();
    const item = lane?.items.shift();
    if (!level || !lane || !item) return undefined;
    // Moves to the end of the ring. `#removed` removes an empty lane.
    lanes?.push(lane);
    level.servedAt = this.#handedOut += 1;
    this.#removed(item, lane);
    return item;
  }

  /** Removes a waiting item from its lane. */
  remove(item: Item<R>): void {
    const { lane } = item;
    if (!lane) return;
    lane.items.remove(item);
    this.#removed(item, lane);
  }

  #removed(item: Item<R>, lane: Lane<R>): void {
    item.lane = undefined;
    this.#length -= 1;
    if (!lane.items.isEmpty) return;
    const { turn } = lane;
    turn.lanes.splice(turn.lanes.indexOf(lane), 1);
    if (!turn.parked) this.#deactivate(lane);
  }

  /** Skips the cluster until {@link unpark}. */
  park(turn: Turn<R>): void {
    if (turn.parked) return;
    turn.parked = true;
    for (const lane of turn.lanes) this.#deactivate(lane);
  }

  unpark(turn: Turn<R>): void {
    if (!turn.parked) return;
    turn.parked = false;
    for (const lane of turn.lanes) this.#activate(lane);
  }

  /** Moves the lanes of a cluster to the slow lanes, or back. */
  setSlow(turn: Turn<R>, slow: boolean): void {
    if (turn.slow === slow) return;
    if (!turn.parked) for (const lane of turn.lanes) this.#deactivate(lane);
    turn.slow = slow;
    if (!turn.parked) for (const lane of turn.lanes) this.#activate(lane);
  }

  #servable(slowTurns: SlowTurns): readonly Level<R>[] {
    if (slowTurns === 'shared') return this.#levels;
    const open = this.#levels.filter((level) => level.open.first);
    return open.length === 0 && slowTurns === 'idle' ? this.#levels : open;
  }

  /** @param levels highest priority first. */
  #nextLevel(levels: readonly Level<R>[]): Level<R> | undefined {
    const highest = levels[0];
    if (levels.length < 2) return highest;
    this.#passedOver += 1;
    if (this.#passedOver < LOWER_PRIORITY_TURN) return highest;
    this.#passedOver = 0;
    return levels.slice(1).reduce((a, b) => (b.servedAt < a.servedAt ? b : a));
  }

  #activate(lane: Lane<R>): void {
    const { priority } = lane;
    const index = this.#indexOf(priority);
    let level = this.#levels[index];
    if (level?.priority !== priority) {
      const servedAt = this.#handedOut;
      level = { priority, open: new LinkedList(), slow: new LinkedList(), slowIsNext: false, servedAt };
      this.#levels.splice(index, 0, level);
    }
    if (lane.turn.slow) this.#slowLanes += 1;
    ringOf(level, lane).push(lane);
  }

  #deactivate(lane: Lane<R>): void {
    const index = this.#indexOf(lane.priority);
    const level = this.#levels[index];
    if (!level) return;
    if (lane.turn.slow) this.#slowLanes -= 1;
    ringOf(level, lane).remove(lane);
    if (!level.open.first && !level.slow.first) this.#levels.splice(index, 1);
  }

  /** Returns the position of the level of a priority, or where to insert it. */
  #indexOf(priority: number): number {
    let low = 0;
    let high = this.#levels.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const level = this.#levels[middle];
      if (level && level.priority > priority) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function ringOf<R>(level: Level<R>, { turn }: Lane<R>): LinkedList<Lane<R>> {
  return turn.slow ? level.slow : level.open;
}

/** Open and slow lanes of one priority alternate while both may be served. */
function nextRing<R>(level: Level<R>, slowTurns: SlowTurns): LinkedList<Lane<R>> {
  const { open, slow } = level;
  if (!open.first || !slow.first) return open.first ? open : slow;
  if (slowTurns !== 'shared') return open;
  level.slowIsNext = !level.slowIsNext;
  return level.slowIsNext ? slow : open;
}

/** Returns the lane of a priority. A loop instead of `find`, because it runs for every item. */
function laneOf<R>({ lanes }: Turn<R>, priority: number): Lane<R> | undefined {
  for (const lane of lanes) if (lane.priority === priority) return lane;
  return undefined;
}
