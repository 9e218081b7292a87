import { Turn } from '../turn.ts';

/** A task in steps. Requests are served between two steps. */
export type Task = () => Generator<void>;

/** Background tasks of the server after writes, run one at a time, in slices. */
export class BackgroundTasks {
  /** Pending tasks, by key. A task that is added again while it is pending runs once. */
  readonly #pending = new Map<string, Task>();
  #current: Generator<void> | undefined;
  #turn: NodeJS.Immediate | undefined;

  add(key: string, task: Task): void {
    this.#pending.set(key, task);
    this.#turn ??= setImmediate(() => this.#work());
  }

  stop(): void {
    clearImmediate(this.#turn);
    this.#turn = undefined;
    this.#pending.clear();
    this.#current = undefined;
  }

  #work(): void {
    const turn = new Turn();
    for (this.#current ??= this.#next(); this.#current;) {
      if (this.#current.next().done) this.#current = this.#next();
      if (turn.isOver) break;
    }
    // Set during the work, so that a task that adds another one causes no second turn.
    this.#turn = this.#current && setImmediate(() => this.#work());
  }

  #next(): Generator<void> | undefined {
    const [first] = this.#pending;
    if (!first) return undefined;
    const [key, task] = first;
    this.#pending.delete(key);
    return task();
  }
}
