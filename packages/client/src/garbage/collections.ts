import { constants, PerformanceObserver, type NodeGCPerformanceDetail, type PerformanceEntry } from 'node:perf_hooks';

const { NODE_PERFORMANCE_GC_INCREMENTAL: MARKING_BEGAN, NODE_PERFORMANCE_GC_MAJOR: FULL_COLLECTION } = constants;

interface CollectionEntry extends PerformanceEntry {
  readonly detail: NodeGCPerformanceDetail;
}

/** Observes the full collections of V8, in which weak references lose their targets. */
class Collections {
  #count = 0;
  #collectedAt = 0;
  /** Start of the marking that goes on beside the program, by `performance.now()`. */
  #markingSince: number | undefined;

  readonly #observer = new PerformanceObserver((list) => this.#note(list.getEntries()));

  constructor() {
    this.#observer.observe({ entryTypes: ['gc'] });
  }

  get count(): number {
    return this.#count;
  }

  /**
   * Time before the latest collection, by `performance.now()`: objects that have had no references since then have been
   * collected. 0 before the first collection.
   */
  get collectedAt(): number {
    return this.#collectedAt;
  }

  /**
   * Whether V8 marks the objects that are in use, beside the program, for a collection that will follow. Node.js reports
   * the start of it before the immediates of the same turn of the event loop.
   */
  get isMarking(): boolean {
    this.#note(this.#observer.takeRecords());
    return this.#markingSince !== undefined;
  }

  #note(entries: readonly PerformanceEntry[]): void {
    for (const { startTime, detail } of entries as readonly CollectionEntry[]) {
      const { kind } = detail;
      if (kind === MARKING_BEGAN) this.#markingSince = startTime;
      if (kind === FULL_COLLECTION) this.#collected(startTime);
    }
  }

  #collected(startTime: number): void {
    this.#count += 1;
    // Objects that lost their last reference after they were marked wait for the next collection.
    this.#collectedAt = this.#markingSince ?? startTime;
    this.#markingSince = undefined;
  }
}

/** The collections of the process. */
export const collections = new Collections();
