import type { Clock } from '@mcr/client';
import type { AddOptions } from '../workqueue/request-queue.ts';

/** Time for which requests are kept, in milliseconds: longer than a handover, and than the eviction of a replica. */
const RETENTION = 120_000;

/** Maximum number of requests. The oldest are dropped first. */
const MAX_REQUESTS = 10_000;

interface Deletion<R> {
  readonly request: R;
  readonly options: AddOptions | undefined;
  readonly at: number;
}

/**
 * Requests for deleted objects that were dropped because another replica owned their cluster. If that replica did not
 * reconcile them before it lost the cluster, no event would follow, because the objects no longer exist.
 */
export class RecentDeletions<R> {
  readonly #clock: Clock;
  readonly #keyOf: (request: R) => string;
  /** The requests by their keys, oldest first. */
  readonly #deletions = new Map<string, Deletion<R>>();

  /** @param keyOf returns a key that identifies a request, including its cluster. */
  constructor(clock: Clock, keyOf: (request: R) => string) {
    this.#clock = clock;
    this.#keyOf = keyOf;
  }

  add(request: R, options?: AddOptions): void {
    this.#expire();
    const key = this.#keyOf(request);
    this.#deletions.delete(key);
    this.#deletions.set(key, { request, options, at: this.#clock.now() });
    if (this.#deletions.size <= MAX_REQUESTS) return;
    const [oldest = ''] = this.#deletions.keys();
    this.#deletions.delete(oldest);
  }

  /** Removes and returns the requests that match. */
  take(matches: (request: R) => boolean): Pick<Deletion<R>, 'request' | 'options'>[] {
    this.#expire();
    const taken: Deletion<R>[] = [];
    for (const [key, deletion] of this.#deletions) {
      if (!matches(deletion.request)) continue;
      taken.push(deletion);
      this.#deletions.delete(key);
    }
    return taken;
  }

  #expire(): void {
    const end = this.#clock.now() - RETENTION;
    for (const [key, { at }] of this.#deletions) {
      if (at > end) return;
      this.#deletions.delete(key);
    }
  }
}
