/** Writes that have the turn to change an object, in the order in which they asked for it. Other writes wait. */
export class WriteTurns {
  readonly #queues = new Map<string, object[]>();

  /** Asks for the turn, after the writes that asked before. */
  take(key: string, write: object): void {
    const queue = this.#queues.get(key) ?? [];
    if (!queue.includes(write)) queue.push(write);
    this.#queues.set(key, queue);
  }

  /** Gives up the turn, or the place in the queue. */
  release(key: string, write: object): void {
    const queue = this.#queues.get(key)?.filter((other) => other !== write) ?? [];
    if (queue.length > 0) this.#queues.set(key, queue);
    else this.#queues.delete(key);
  }

  /** Reports whether another write has the turn. */
  isTaken(key: string, write: object): boolean {
    const [first = write] = this.#queues.get(key) ?? [];
    return first !== write;
  }
}
