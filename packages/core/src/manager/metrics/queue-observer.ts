import type { Clock } from '@mcr/client';
import type { QueuedRequest, WorkQueueMetrics } from './controller-metrics.ts';

export interface QueueObserverOptions {
  readonly clock: Clock;
  readonly onAdded: () => void;
  readonly onDelayed: () => void;
  /** @param waited milliseconds. */
  readonly onHandedOut: (waited: number) => void;
  /** @param worked milliseconds. */
  readonly onDone: (worked: number) => void;
}

interface Waiting {
  readonly since: number;
  priority: number;
}

/** Tracks the requests of a workqueue and their times. */
export class QueueObserver implements WorkQueueMetrics {
  readonly #options: QueueObserverOptions;
  readonly #waiting = new Map<QueuedRequest, Waiting>();
  /** Start time of processing, by request. */
  readonly #processing = new Map<QueuedRequest, number>();
  readonly #depths = new Map<number, number>();

  constructor(options: QueueObserverOptions) {
    this.#options = options;
  }

  /** Number of waiting requests by priority, including all priorities that were ever used. */
  get depths(): ReadonlyMap<number, number> {
    return this.#depths;
  }

  /** Returns for how long each request in progress has been processed, in milliseconds. */
  unfinished(): number[] {
    const now = this.#options.clock.now();
    return [...this.#processing.values()].map((since) => now - since);
  }

  waiting(item: QueuedRequest): void {
    const known = this.#waiting.get(item);
    this.#count(item.priority, 1);
    if (known) {
      this.#count(known.priority, -1);
      known.priority = item.priority;
      return;
    }
    this.#waiting.set(item, { since: this.#options.clock.now(), priority: item.priority });
    this.#options.onAdded();
  }

  delayed(): void {
    this.#options.onDelayed();
  }

  handedOut(item: QueuedRequest): void {
    const now = this.#options.clock.now();
    this.#processing.set(item, now);
    this.#options.onHandedOut(now - (this.#leave(item) ?? now));
  }

  done(item: QueuedRequest): void {
    const since = this.#processing.get(item);
    if (since === undefined) return;
    this.#processing.delete(item);
    this.#options.onDone(this.#options.clock.now() - since);
  }

  dropped(item: QueuedRequest): void {
    this.#leave(item);
  }

  /** Returns since when it waited. */
  #leave(item: QueuedRequest): number | undefined {
    const waiting = this.#waiting.get(item);
    if (!waiting) return undefined;
    this.#waiting.delete(item);
    this.#count(waiting.priority, -1);
    return waiting.since;
  }

  #count(priority: number, change: 1 | -1): void {
    this.#depths.set(priority, (this.#depths.get(priority) ?? 0) + change);
  }
}
