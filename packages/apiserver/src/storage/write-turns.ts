/** Writes that ask for the turn to change one object, and the writes that wait for a change of that. */
interface Queue {
  /** The first one has the turn. */
  readonly writes: readonly object[];
  readonly waiting: Set<() => void>;
}

/** Writes that have the turn to change an object, in the order in which they asked for it. Other writes wait. */
export class WriteTurns {
  readonly #queues = new Map<string, Queue>();

  /** Asks for the turn, after the writes that asked before. */
  take(key: string, write: object): void {
    const { writes, waiting } = this.#queues.get(key) ?? { writes: [], waiting: new Set() };
    if (!writes.includes(write)) this.#queues.set(key, { writes: [...writes, write], waiting });
  }

  /** Gives up the turn, or the place in the queue, and wakes the writes that wait. */
  release(key: string, write: object): void {
    const queue = this.#queues.get(key);
    if (!queue?.writes.includes(write)) return;
    const writes = queue.writes.filter((other) => other !== write);
    if (writes.length > 0) this.#queues.set(key, { writes, waiting: new Set() });
    else this.#queues.delete(key);
    for (const wake of queue.waiting) wake();
  }

  /** Reports whether another write has the turn. */
  isTaken(key: string, write: object): boolean {
    const [first = write] = this.#queues.get(key)?.writes ?? [];
    return first !== write;
  }

  /** Resolves when a write of the object gives up its turn or its place, or after `time` milliseconds. */
  async released(key: string, time: number): Promise<void> {
    const waiting = this.#queues.get(key)?.waiting;
    if (!waiting) return;
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        waiting.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, time);
      waiting.add(wake);
    });
  }
}
