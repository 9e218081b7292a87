/** The reason of work that is done. It is shared, because an error with a stack for each would take time. */
const DONE = new DOMException('done', 'AbortError');

/**
 * An abort signal that ends with an outer signal or earlier. It removes its listener from the outer signal when it
 * ends.
 */
export class Lifetime {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal;

  constructor(outer: AbortSignal) {
    this.#outer = outer;
    if (outer.aborted) this.#controller.abort(outer.reason);
    else outer.addEventListener('abort', this.#onOuterEnd, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** @param reason one sentence, shown in the fleet status and logs. */
  end(reason: string): void {
    this.#end(new DOMException(reason, 'AbortError'));
  }

  /** Ends because the work is done. The reason is not shown. */
  complete(): void {
    this.#end(DONE);
  }

  #end(reason: DOMException): void {
    this.#outer.removeEventListener('abort', this.#onOuterEnd);
    this.#controller.abort(reason);
  }

  readonly #onOuterEnd = () => this.#controller.abort(this.#outer.reason);
}
