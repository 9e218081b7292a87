import type { KubernetesObject } from '../kinds/object.ts';
import { workInSpareTime } from '../clock/event-loop-turn.ts';
import { shareStrings } from './share-strings.ts';
import type { Store } from './store.ts';

/** A store of fewer objects is left as it is. */
const FEWEST_OBJECTS = 1_000;

/**
 * Takes a quarter or more off the memory of a store, in spare time: its objects come to share their texts. That is not
 * done when they are parsed, because a list would take a quarter longer, and a burst of events would be late.
 */
export class Compaction<T extends KubernetesObject> {
  readonly #store: Store<T>;
  /** How many objects have come since the last time. */
  #fresh = 0;
  #isRunning = false;
  #isStopped = false;

  constructor(store: Store<T>) {
    this.#store = store;
  }

  /** So many objects have come into the store. When they are half of it, there is something to be gained. */
  came(count: number): void {
    this.#fresh += count;
    const { size } = this.#store;
    if (this.#isRunning || this.#isStopped || size < FEWEST_OBJECTS || this.#fresh < size / 2) return;
    this.#fresh = 0;
    this.#isRunning = true;
    void this.#run().finally(() => (this.#isRunning = false));
  }

  stop(): void {
    this.#isStopped = true;
  }

  #run(): Promise<void> {
    const share = shareStrings();
    return workInSpareTime(this.#store.values(), (object) => {
      if (this.#isStopped) return false;
      try {
        share(object);
        return true;
      } catch {
        // They are frozen, as in development.
        return false;
      }
    });
  }
}
