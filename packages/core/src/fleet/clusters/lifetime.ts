/**
 * The time during which something lives: until it is ended, or until a longer life that it is part of ends.
 * It leaves no listener behind on the longer one.
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

  /** @param reason why, in one sentence for the person on call. */
  end(reason: string): void {
    this.#outer.removeEventListener('abort', this.#onOuterEnd);
    this.#controller.abort(new DOMException(reason, 'AbortError'));
  }

  readonly #onOuterEnd = () => this.#controller.abort(this.#outer.reason);
}
