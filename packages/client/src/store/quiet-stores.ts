/** Time without writes after which a store is quiet, in milliseconds: at least this, at most twice. */
const QUIET_AFTER = 1_000;

/** A store that has work to do when nothing is written to it. */
export interface QuietStore {
  /** A number that changes with each write. */
  readonly written: number;
  /** Called once when the store is quiet. */
  finish(): void;
}

/** Notices when stores are not written to any more. One timer serves all stores of a process. */
class QuietStores {
  readonly #written = new Map<QuietStore, number>();
  #timer: NodeJS.Timeout | undefined;

  /** Must be called after a write. */
  watch(store: QuietStore): void {
    if (this.#written.has(store)) return;
    this.#written.set(store, -1);
    this.#timer ??= setInterval(() => this.#look(), QUIET_AFTER).unref();
  }

  #look(): void {
    for (const [store, written] of this.#written) {
      if (store.written !== written) {
        this.#written.set(store, store.written);
      } else {
        this.#written.delete(store);
        store.finish();
      }
    }
    if (this.#written.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

/** The stores of the process. */
export const quietStores = new QuietStores();
