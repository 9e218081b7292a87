import { Turn } from '../turn.ts';

/** A task in steps. Requests are served between two steps. */
export type Task = () => Generator<void>;

/** Delay before a failed task runs again, in milliseconds: it doubles up to the longest. */
const FIRST_DELAY = 100;
const LONGEST_DELAY = 60_000;

/** Background tasks of the server after writes, run one at a time, in slices. A task that fails runs again later. */
export class BackgroundTasks {
  /** Pending tasks, by key. A task that is added again while it is pending runs once. */
  readonly #pending = new Map<string, Task>();
  /** Failures in a row, by key. */
  readonly #failures = new Map<string, number>();
  /** Timers of failed tasks, by key. */
  readonly #retries = new Map<string, NodeJS.Timeout>();
  #current: Running | undefined;
  #turn: NodeJS.Immediate | undefined;

  add(key: string, task: Task): void {
    this.#pending.set(key, task);
    this.#turn ??= setImmediate(() => this.#work());
  }

  stop(): void {
    clearImmediate(this.#turn);
    this.#turn = undefined;
    for (const timer of this.#retries.values()) clearTimeout(timer);
    this.#retries.clear();
    this.#pending.clear();
    this.#failures.clear();
    this.#current = undefined;
  }

  #work(): void {
    const turn = new Turn();
    for (this.#current ??= this.#next(); this.#current;) {
      if (this.#isDone(this.#current)) this.#current = this.#next();
      if (turn.isOver) break;
    }
    // Set during the work, so that a task that adds another one causes no second turn.
    this.#turn = this.#current && setImmediate(() => this.#work());
  }

  /** Runs the next step of a task. */
  #isDone({ key, task, steps }: Running): boolean {
    try {
      if (!steps.next().done) return false;
      this.#failures.delete(key);
    } catch (error) {
      this.#retry(key, task, error);
    }
    return true;
  }

  #retry(key: string, task: Task, error: unknown): void {
    const failures = this.#failures.get(key) ?? 0;
    this.#failures.set(key, failures + 1);
    if (failures === 0) {
      const reason = error instanceof Error ? error.message : String(error);
      process.stderr.write(`API server: task "${key}" failed, and is tried again: ${reason}\n`);
    }
    // A task that is added while it waits for its retry may fail before it.
    clearTimeout(this.#retries.get(key));
    const timer = setTimeout(
      () => {
        this.#retries.delete(key);
        this.add(key, task);
      },
      Math.min(FIRST_DELAY * 2 ** failures, LONGEST_DELAY),
    ).unref();
    this.#retries.set(key, timer);
  }

  #next(): Running | undefined {
    const [first] = this.#pending;
    if (!first) return undefined;
    const [key, task] = first;
    this.#pending.delete(key);
    return { key, task, steps: task() };
  }
}

interface Running {
  readonly key: string;
  readonly task: Task;
  readonly steps: Generator<void>;
}
