/** Work in steps: between two of them, requests are served. */
export type Chore = () => Generator<void>;

/** How long chores hold the event loop at a time, in milliseconds. */
const SLICE = 5;

/** What the server does by itself after a write: one chore after another, in slices. */
export class Chores {
  /** What waits, by key: a chore that is added again while it waits is done once. */
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
