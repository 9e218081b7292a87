import type { Item, Lane, Turn } from './item.ts';
import { LinkedList } from './linked-list.ts';

/** Of so many items that are handed out while lower priorities wait, one is theirs. */
const LOWER_PRIORITY_TURN = 100;

/** The lanes of one priority that may be served, in the order of their turns; never empty. */
interface Level<R> {
  readonly priority: number;
  readonly lanes: LinkedList<Lane<R>>;
  /** How many items had been handed out, of any priority, when this one was last served, or came to wait. */
  servedAt: number;
}

/**
 * Decides which waiting item is next: the highest priority first; within a priority the clusters take turns, one item
 * each; within a turn the item that was added first. So that a steady load does not starve what is below it, every
 * hundredth item is taken from the lower priority that has waited longest for a turn.
 */
export class FairOrder<R> {
  /** Highest priority first. */
  readonly #levels: Level<R>[] = [];
  #length = 0;
  #handedOut = 0;
  /** Items handed out since a lower priority had its turn. */
  #passedOver = 0;

  /** How many items wait, those of parked clusters included. */
  get length(): number {
    return this.#length;
  }

  push(item: Item<R>): void {
    const { priority } = item;
    const { turn } = item.share;
    let lane = laneOf(turn, priority);
    if (!lane) {
      lane = { turn, priority, items: new LinkedList(), previous: undefined, next: undefined };
      turn.lanes.push(lane);
      if (!turn.parked) this.#activate(lane);
    }
    lane.items.push(item);
    item.lane = lane;
    this.#length += 1;
  }

  /** Takes the next item out; `undefined` when no cluster that may be served has one. */
  shift(): Item<R> | undefined {
    const level = this.#nextLevel();
    const lane = level?.lanes.shift();
    const item = lane?.items.first;
    if (!level || !lane || !item) return undefined;
    // To the end of the ring, until its next turn; `remove` takes an empty lane out.
    level.lanes.push(lane);
    level.servedAt = this.#handedOut += 1;
    this.remove(item);
    return item;
  }

  /** Takes a waiting item out of its lane. */
  remove(item: Item<R>): void {
    const { lane } = item;
    if (!lane) return;
    lane.items.remove(item);
    item.lane = undefined;
    this.#length -= 1;
    if (lane.items.first) return;
    const { turn } = lane;
    turn.lanes.splice(turn.lanes.indexOf(lane), 1);
    if (!turn.parked) this.#deactivate(lane);
  }

  /** Passes the cluster over, until {@link unpark}. */
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

  #nextLevel(): Level<R> | undefined {
    const highest = this.#levels[0];
    if (this.#levels.length < 2) return highest;
    this.#passedOver += 1;
    if (this.#passedOver < LOWER_PRIORITY_TURN) return highest;
    this.#passedOver = 0;
    return this.#levels.slice(1).reduce((a, b) => (b.servedAt < a.servedAt ? b : a));
  }

  #activate(lane: Lane<R>): void {
    const index = this.#indexOf(lane.priority);
    let level = this.#levels[index];
    if (level?.priority !== lane.priority) {
      level = { priority: lane.priority, lanes: new LinkedList(), servedAt: this.#handedOut };
      this.#levels.splice(index, 0, level);
    }
    level.lanes.push(lane);
  }

  #deactivate(lane: Lane<R>): void {
    const index = this.#indexOf(lane.priority);
    const level = this.#levels[index];
    if (!level) return;
    level.lanes.remove(lane);
    if (!level.lanes.first) this.#levels.splice(index, 1);
  }

  /** Where the level of that priority is, or belongs. */
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

/** A loop, not `find` with a closure: this is on the path of every item. */
function laneOf<R>({ lanes }: Turn<R>, priority: number): Lane<R> | undefined {
  for (const lane of lanes) if (lane.priority === priority) return lane;
  return undefined;
}
