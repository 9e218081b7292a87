import type { Runnable } from './runnable.ts';

/** The runnables of one group, which start and stop together. */
export class RunnableSet {
  readonly #onFailure: (error: unknown) => void;
  readonly #waiting: Runnable[] = [];
  readonly #running = new Map<Runnable, Promise<void>>();
  readonly #controller = new AbortController();
  #started = false;

  /** @param onFailure called when a runnable rejects, also while it is being stopped. */
  constructor(onFailure: (error: unknown) => void) {
    this.#onFailure = onFailure;
  }

  /** Aborts when the group is stopped. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Number of runnables that have not ended. */
  get size(): number {
    return this.#running.size;
  }

  /** The runnables that have not ended. */
  get running(): readonly Runnable[] {
    return [...this.#running.keys()];
  }

  /** Adds a runnable. It starts with the others, or immediately if they have started. */
  add(runnable: Runnable): void {
    if (this.#started) this.#run(runnable);
    else this.#waiting.push(runnable);
  }

  start(): void {
    this.#started = true;
    for (const runnable of this.#waiting.splice(0)) this.#run(runnable);
  }

  abort(): void {
    this.#controller.abort(new DOMException('the manager stops', 'AbortError'));
  }

  /** Resolves when all have ended. */
  async ended(): Promise<void> {
    await Promise.all(this.#running.values());
  }

  #run(runnable: Runnable): void {
    const run = async () => {
      try {
        await runnable.run(this.signal);
      } catch (error) {
        if (!this.signal.aborted || error !== this.signal.reason) this.#onFailure(error);
      } finally {
        this.#running.delete(runnable);
      }
    };
    // Entered before `run` can delete it: an async function's first turn is synchronous.
    const started = Promise.resolve().then(run);
    this.#running.set(runnable, started);
  }
}
