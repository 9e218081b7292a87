import type { ClusterName } from '../../fleet/multicluster/cluster-name.ts';
import type { Item } from './item.ts';
import type { Linked } from './linked-list.ts';
import { LinkedList } from './linked-list.ts';

/** The waiting items that one cluster caused. Never empty. */
interface Caused<R> extends Linked<Caused<R>> {
  readonly items: LinkedList<Item<R>>;
  length: number;
}

/**
 * The waiting items of one lane. Items that other clusters caused alternate with those of the cluster itself, and the other
 * clusters take turns. Items with the same cause are in the order of addition.
 */
export class LaneItems<R> {
  readonly #own = new LinkedList<Item<R>>();
  #ownLength = 0;
  /** The items that other clusters caused, by these clusters. Created on first use, because most lanes have none. */
  #causes: Map<ClusterName, Caused<R>> | undefined;
  /** In the order of their turns. */
  readonly #turns = new LinkedList<Caused<R>>();
  #othersAreNext = false;

  get isEmpty(): boolean {
    return !this.#own.first && !this.#turns.first;
  }

  /** Returns the number of items with a cause. @param cause `undefined` for the cluster itself. */
  lengthOf(cause: ClusterName | undefined): number {
    return cause === undefined ? this.#ownLength : (this.#causes?.get(cause)?.length ?? 0);
  }

  push(item: Item<R>): void {
    const { cause } = item;
    if (cause === undefined) {
      this.#own.push(item);
      this.#ownLength += 1;
      return;
    }
    this.#causes ??= new Map();
    let caused = this.#causes.get(cause);
    if (!caused) {
      caused = { items: new LinkedList(), length: 0, previous: undefined, next: undefined };
      this.#causes.set(cause, caused);
      this.#turns.push(caused);
    }
    caused.items.push(item);
    caused.length += 1;
  }

  /** Removes and returns the next item. */
  shift(): Item<R> | undefined {
    const own = this.#own.first;
    const caused = this.#turns.first;
    let next = own;
    if (caused && (!own || this.#othersAreNext)) {
      // Moves to the end of the turns. `remove` removes it if it is empty.
      this.#turns.shift();
      this.#turns.push(caused);
      next = caused.items.first;
      this.#othersAreNext = false;
    } else {
      this.#othersAreNext = true;
    }
    if (next) this.remove(next);
    return next;
  }

  /** @param item an item of this lane, with the cause with which it was added. */
  remove(item: Item<R>): void {
    const { cause } = item;
    if (cause === undefined) {
      this.#own.remove(item);
      this.#ownLength -= 1;
      return;
    }
    const caused = this.#causes?.get(cause);
    if (!caused) return;
    caused.items.remove(item);
    caused.length -= 1;
    if (caused.items.first) return;
    this.#causes?.delete(cause);
    this.#turns.remove(caused);
  }
}
