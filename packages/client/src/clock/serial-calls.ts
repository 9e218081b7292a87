import { workInTurns } from './event-loop-turn.ts';

/** Marks a place in a queue. */
class Mark {
  readonly reached = Promise.withResolvers<void>();
}

/**
 * Calls a function for one item after another. If a call returns a promise, later items wait until it has settled. If no
 * item waits, the call runs at once.
 */
export class SerialCalls<T> {
  readonly #call: (item: T) => Promise<void> | undefined;
  /** Items that wait; `undefined` if the next one can be handled at once. */
  #waiting: (T | Mark)[] | undefined;
  #isStopped = false;

  /** @param call must not throw or reject. */
  constructor(call: (item: T) => Promise<void> | undefined) {
    this.#call = call;
  }

  add(item: T): void {
    if (this.#isStopped) return;
    if (this.#waiting) {
      this.#waiting.push(item);
      return;
    }
    const pending = this.#call(item);
    if (!pending) return;
    this.#waiting = [];
    void pending.then(() => this.#handle([]));
  }

  /**
   * Handles existing items, and then those that are added meanwhile. Calls the function only after the caller has received
   * the promise, which resolves when these items have been handled. Call it before {@link add}.
   */
  async catchUp(existing: IterableIterator<T>): Promise<void> {
    this.#waiting = [];
    await Promise.resolve();
    if (this.#isStopped) {
      existing.return?.();
      return;
    }
    const end = new Mark();
    void this.#handle(this.#upTo(end, existing));
    await end.reached.promise;
  }

  /**
   * Resolves when the items that have been added so far have been handled, and never after {@link stop}. `undefined` if
   * none of them waits.
   */
  settled(): Promise<void> | undefined {
    if (!this.#waiting) return undefined;
    const mark = new Mark();
    this.#waiting.push(mark);
    return mark.reached.promise;
  }

  /** Discards the items that wait, and ignores later ones. */
  stop(): void {
    this.#isStopped = true;
    this.#waiting?.splice(0);
  }

  #handle(first: Iterable<T>): Promise<void> {
    return workInTurns(this.#all(first), (item) => {
      if (this.#isStopped) return false;
      if (!(item instanceof Mark)) return this.#call(item)?.then(() => true) ?? true;
      item.reached.resolve();
      return true;
    });
  }

  *#upTo(end: Mark, items: Iterable<T>): Generator<T, void, undefined> {
    yield* items;
    this.#waiting?.push(end);
  }

  /** Yields the items until none waits. Items that have been handled are not referenced any more. */
  *#all(first: Iterable<T>): Generator<T | Mark, void, undefined> {
    yield* first;
    while (this.#waiting && this.#waiting.length > 0) {
      const batch = this.#waiting.reverse();
      this.#waiting = [];
      while (batch.length > 0) yield batch.pop() as T | Mark;
    }
    // In the same step that found no more items, so that none is added unseen.
    this.#waiting = undefined;
  }
}
