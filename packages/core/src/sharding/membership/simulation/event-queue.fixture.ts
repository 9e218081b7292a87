interface Entry {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
}

/** Runs callbacks in the order of virtual time, and of their addition at equal times. */
export class EventQueue {
  /** True time in milliseconds. */
  now = 0;
  #order = 0;
  /** A binary heap. */
  readonly #heap: Entry[] = [];

  at(time: number, run: () => void): void {
    const heap = this.#heap;
    heap.push({ at: Math.max(time, this.now), order: this.#order++, run });
    for (let child = heap.length - 1; child > 0;) {
      const parent = (child - 1) >> 1;
      if (!this.#swapIfBefore(child, parent)) break;
      child = parent;
    }
  }

  runUntil(end: number): void {
    for (let first = this.#heap[0]; first && first.at <= end; first = this.#heap[0]) {
      this.#removeFirst();
      this.now = first.at;
      first.run();
    }
    this.now = end;
  }

  #removeFirst(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (!last || heap.length === 0) return;
    heap[0] = last;
    for (let parent = 0; ;) {
      const left = 2 * parent + 1;
      const child = this.#isBefore(left + 1, left) ? left + 1 : left;
      if (!this.#swapIfBefore(child, parent)) return;
      parent = child;
    }
  }

  #swapIfBefore(child: number, parent: number): boolean {
    const [one, other] = [this.#heap[child], this.#heap[parent]];
    if (!one || !other || !this.#isBefore(child, parent)) return false;
    this.#heap[parent] = one;
    this.#heap[child] = other;
    return true;
  }

  #isBefore(a: number, b: number): boolean {
    const [one, other] = [this.#heap[a], this.#heap[b]];
    return one !== undefined && (!other || one.at < other.at || (one.at === other.at && one.order < other.order));
  }
}
