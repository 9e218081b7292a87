/** Limits how many callers proceed concurrently. Waiting callers proceed in the order of their calls. */
export class Semaphore {
  readonly #waiting = new Set<() => void>();
  #free: number;

  /** @param permits maximum number of callers that proceed concurrently. */
  constructor(permits: number) {
    this.#free = permits;
  }

  /**
   * Resolves when the caller may proceed.
   *
   * @returns a function that releases the permit. Calls after the first one have no effect.
   * @throws the reason of `signal` if it aborts first.
   */
  async acquire(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#free > 0) this.#free -= 1;
    else await this.#turn(signal);
    let isHeld = true;
    return () => {
      if (isHeld) this.#release();
      isHeld = false;
    };
  }

  #turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const onTurn = (): void => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      };
      const onAbort = (): void => {
        this.#waiting.delete(onTurn);
        reject(signal.reason as Error);
      };
      this.#waiting.add(onTurn);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  /** Passes the permit on to the caller that has waited longest. */
  #release(): void {
    const [next] = this.#waiting;
    if (next) {
      this.#waiting.delete(next);
      next();
    } else {
      this.#free += 1;
    }
  }
}
