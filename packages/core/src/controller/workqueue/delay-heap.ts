/** What an entry of a {@link DelayHeap} carries. */
export interface Delayed {
  readonly readyAt: number;
  /** Orders entries of one instant. */
  readonly sequence: number;
  /** Where the entry is in the heap. Only the heap writes it. */
  heapIndex: number;
}

/** Entries by the instant at which they are ready, the earliest first: a binary heap that knows where each one is. */
export class DelayHeap<N extends Delayed> {
  readonly #entries: N[] = [];

  get first(): N | undefined {
    return this.#entries[0];
  }

  push(entry: N): void {
    this.#entries.push(entry);
    this.#up(entry, this.#entries.length - 1);
  }

  /** @param entry is in this heap. */
  remove(entry: N): void {
    const last = this.#entries.pop();
    if (!last || last === entry) return;
    // The last entry takes the empty place; from another branch of the heap it may have to move either way.
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
