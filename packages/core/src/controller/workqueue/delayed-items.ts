import type { Clock, Timer } from '@mcr/client';
import { DelayHeap } from './delay-heap.ts';
import type { Delay, Item } from './item.ts';

export interface DelayedItemsOptions<R> {
  readonly clock: Clock;
  /** Called with the due items, after their removal. */
  readonly onDue: (items: readonly Item<R>[]) => void;
}

/** The delayed items, with one timer for all of them. */
export class DelayedItems<R> {
  readonly #clock: Clock;
  readonly #onDue: (items: readonly Item<R>[]) => void;
  readonly #heap = new DelayHeap<Delay<R>>();
  /** Fires no later than the first item is due. */
  #timer: { readonly at: number; readonly timer: Timer } | undefined;
  #added = 0;

  constructor({ clock, onDue }: DelayedItemsOptions<R>) {
    this.#clock = clock;
    this.#onDue = onDue;
  }

  add(item: Item<R>, readyAt: number): void {
    item.delay = { item, readyAt, sequence: (this.#added += 1), heapIndex: 0 };
    this.#heap.push(item.delay);
    this.arm();
  }

  /** Does not change the timer, because many items may be removed together. Call {@link arm} afterwards. */
  remove(item: Item<R>): void {
    if (item.delay) this.#heap.remove(item.delay);
    item.delay = undefined;
  }

  /** Ensures that the timer is due in time for the first item, and that there is none without an item. */
  arm(): void {
    const { first } = this.#heap;
    if (first && this.#timer && this.#timer.at <= first.readyAt) return;
    this.#timer?.timer.cancel();
    this.#timer = first && {
      at: first.readyAt,
      timer: this.#clock.schedule(first.readyAt - this.#clock.now(), () => this.#onTimer()),
    };
  }

  #onTimer(): void {
    this.#timer = undefined;
    // A timer may fire a little early. An item that is not due stays, and the timer is set again.
    const now = this.#clock.now();
    const due: Item<R>[] = [];
    for (let { first } = this.#heap; first && first.readyAt <= now; { first } = this.#heap) {
      this.remove(first.item);
      due.push(first.item);
    }
    this.arm();
    this.#onDue(due);
  }
}
