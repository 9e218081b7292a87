/** An entry of a {@link DelayHeap}. */
export interface Delayed {
  readonly readyAt: number;
  /** Orders entries with the same time. */
  readonly sequence: number;
  /** Position in the heap. Only the heap writes it. */
  heapIndex: number;
}

/**
 * A binary heap of entries by the time at which they are due. It knows the position of each entry, so that any can be
 * removed.
 */
export class DelayHeap<N extends Delayed> {
  readonly #entries: N[] = [];

  get first(): N | undefined {
    return this.#entries[0];
  }

  push(entry: N): void {
    this.#entries.push(entry);
    this.#up(entry, this.#entries.length - 1);
  }

  /** @param entry an entry of this heap. */
  remove(entry: N): void {
    const last = this.#entries.pop();
    if (!last || last === entry) return;
    // The last entry takes the empty position. It may come from another branch, so it may have to move up or down.
    this.#up(last, entry.heapIndex);
    this.#down(last, last.heapIndex);
  }

  #up(entry: N, from: number): void {
    let index = from;
    while (index > 0) {
      const parentIndex = (index - 1) >> 1;
      const parent = this.#entries[parentIndex];
      if (!parent || !precedes(entry, parent)) break;
      this.#put(parent, index);
      index = parentIndex;
    }
    this.#put(entry, index);
  }

  #down(entry: N, from: number): void {
    let index = from;
    for (;;) {
      let childIndex = 2 * index + 1;
      let child = this.#entries[childIndex];
      const right = this.#entries[childIndex + 1];
      if (child && right && precedes(right, child)) {
        child = right;
        childIndex += 1;
      }
      if (!child || !precedes(child, entry)) break;
      this.#put(child, index);
      index = childIndex;
    }
    this.#put(entry, index);
  }

  #put(entry: N, index: number): void {
    this.#entries[index] = entry;
    entry.heapIndex = index;
  }
}

function precedes(a: Delayed, b: Delayed): boolean {
  return a.readyAt < b.readyAt || (a.readyAt === b.readyAt && a.sequence < b.sequence);
}
