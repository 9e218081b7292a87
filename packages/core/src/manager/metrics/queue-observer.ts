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

/** Knows what a workqueue holds, and for how long it has. */
export class QueueObserver implements WorkQueueMetrics {
  readonly #options: QueueObserverOptions;
  readonly #waiting = new Map<QueuedRequest, Waiting>();
  /** Since when. */
  readonly #processing = new Map<QueuedRequest, number>();
  readonly #depths = new Map<number, number>();

  constructor(options: QueueObserverOptions) {
    this.#options = options;
  }

  /** How many requests wait, by priority; a priority that was ever seen stays. */
  get depths(): ReadonlyMap<number, number> {
    return this.#depths;
  }

  /** For how long each request that was handed out has been processed, in milliseconds. */
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

  /** Since when it waited. */
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
