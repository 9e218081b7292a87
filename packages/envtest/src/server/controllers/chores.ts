/** A task in steps. Requests are served between two steps. */
export type Chore = () => Generator<void>;

/** Maximum time that tasks block the event loop in one turn, in milliseconds. */
const SLICE = 5;

/** Background tasks of the server after writes, run one at a time, in slices. */
export class Chores {
  /** Pending tasks, by key. A task that is added again while it is pending runs once. */
  readonly #waiting = new Map<string, Chore>();
  #current: Generator<void> | undefined;
  #turn: NodeJS.Immediate | undefined;

  add(key: string, chore: Chore): void {
    this.#waiting.set(key, chore);
    this.#turn ??= setImmediate(() => this.#work());
  }

  stop(): void {
    clearImmediate(this.#turn);
    this.#waiting.clear();
    this.#current = undefined;
  }

  #work(): void {
    this.#turn = undefined;
    const end = performance.now() + SLICE;
    for (this.#current ??= this.#next(); this.#current;) {
      if (this.#current.next().done) this.#current = this.#next();
      if (performance.now() >= end) break;
    }
    if (this.#current) this.#turn = setImmediate(() => this.#work());
  }

  #next(): Generator<void> | undefined {
    const [first] = this.#waiting;
    if (!first) return undefined;
    const [key, chore] = first;
    this.#waiting.delete(key);
    return chore();
  }
}
