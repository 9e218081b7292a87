/** The reason of work that is done. It is shared, because an error with a stack for each would take time. */
const DONE = new DOMException('done', 'AbortError');

/**
 * An abort signal that ends with an outer signal or earlier. It follows the outer signal until it ends.
 */
export class Lifetime {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal;

  constructor(outer: AbortSignal) {
    this.#outer = outer;
    if (outer.aborted) this.#controller.abort(outer.reason);
    else Inner.of(outer).add(this.#controller);
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
    Inner.of(this.#outer).delete(this.#controller);
    this.#controller.abort(reason);
  }
}

/**
 * The lifetimes within one outer signal. They share a listener, because a signal finds a listener to remove in time that
 * is proportional to their number, and thousands of lifetimes may end together.
 */
class Inner {
  static readonly #all = new WeakMap<AbortSignal, Inner>();
  readonly #outer: AbortSignal;
  readonly #controllers = new Set<AbortController>();

  private constructor(outer: AbortSignal) {
    this.#outer = outer;
  }

  static of(outer: AbortSignal): Inner {
    const present = Inner.#all.get(outer);
    if (present) return present;
    const inner = new Inner(outer);
    Inner.#all.set(outer, inner);
    return inner;
  }

  add(controller: AbortController): void {
    if (this.#controllers.size === 0) this.#outer.addEventListener('abort', this.#onEnd, { once: true });
    this.#controllers.add(controller);
  }

  delete(controller: AbortController): void {
    if (this.#controllers.delete(controller) && this.#controllers.size === 0) {
      this.#outer.removeEventListener('abort', this.#onEnd);
    }
  }

  readonly #onEnd = () => {
    for (const controller of this.#controllers) controller.abort(this.#outer.reason);
    this.#controllers.clear();
  };
}
