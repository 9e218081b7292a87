import type { Clock, Logger, Timer } from '@mcr/client';
import { Backoff } from '@mcr/client';
import type { ClusterEvent } from '../event/cluster-event.ts';
import { TimeSlice } from '../time-slice.ts';

/** Delay of the first retry, in milliseconds. */
const FIRST_RETRY = 1_000;
const LAST_RETRY = 300_000;
/** Maximum number of failed events that are retried. Beyond it, the oldest one is dropped. */
export const MAX_FAILED = 10_000;

export interface ClusterDeliveriesOptions {
  /** Handles an event. */
  readonly handle: (event: ClusterEvent) => void | Promise<void>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Ends the deliveries. */
  readonly signal: AbortSignal;
}

interface Failed {
  event: ClusterEvent;
  readonly backoff: Backoff;
  timer: Timer;
}

/**
 * Delivers events of clusters, one after the other. At most one event of each type waits for each cluster: a later one
 * replaces it, and keeps its old labels or phase. A failed event is retried with backoff, and other events do not wait for
 * that.
 */
export class ClusterDeliveries {
  readonly #options: ClusterDeliveriesOptions;
  readonly #slice: TimeSlice;
  /** Events that wait for their first attempt, or for the next one. */
  readonly #pending = new Map<string, ClusterEvent>();
  readonly #failed = new Map<string, Failed>();
  #isDraining = false;

  constructor(options: ClusterDeliveriesOptions) {
    this.#options = options;
    this.#slice = new TimeSlice(options.clock);
    options.signal.addEventListener('abort', () => this.#clear(), { once: true });
  }

  add(event: ClusterEvent): void {
    if (this.#options.signal.aborted) return;
    // Nothing can be done for a cluster that has left, except for what its departure requires.
    if (event.type === 'disengaged')
      for (const type of ['engaged', 'labels'] as const) this.#discard(keyOf(event, type));
    const key = keyOf(event);
    const failed = this.#failed.get(key);
    const earlier = this.#pending.get(key) ?? failed?.event;
    this.#pending.delete(key);
    this.#pending.set(key, earlier ? merged(earlier, event) : event);
    if (!this.#isDraining) void this.#drain();
  }

  async #drain(): Promise<void> {
    const { signal } = this.#options;
    this.#isDraining = true;
    try {
      // Ends with the abort, which clears the map.
      for (let next = this.#take(); next; next = this.#take()) {
        const [key, event] = next;
        await this.#attempt(key, event);
        if (this.#slice.spent && !signal.aborted) await this.#slice.next();
      }
    } finally {
      this.#isDraining = false;
    }
  }

  #take(): readonly [string, ClusterEvent] | undefined {
    const [next] = this.#pending;
    if (next) this.#pending.delete(next[0]);
    return next;
  }

  async #attempt(key: string, event: ClusterEvent): Promise<void> {
    const { handle, log, signal } = this.#options;
    try {
      await handle(event);
    } catch (error) {
      if (!signal.aborted) this.#fail(key, event, error);
      return;
    }
    if (this.#forget(key) && this.#failed.size === 0) log.info('all failed events have been handled');
  }

  #fail(key: string, event: ClusterEvent, error: unknown): void {
    const { clock, log } = this.#options;
    const known = this.#failed.get(key);
    known?.timer.cancel();
    if (!known && this.#failed.size >= MAX_FAILED) this.#dropOldest();
    const backoff = known?.backoff ?? new Backoff({ base: FIRST_RETRY, max: LAST_RETRY });
    const retryIn = backoff.next();
    log[this.#failed.size === 0 ? 'error' : 'debug']('failed to handle an event of a cluster, retrying', {
      cluster: event.clusterName,
      event: event.type,
      error,
      retryIn: Math.round(retryIn),
    });
    const timer = clock.schedule(retryIn, () => this.#retry(key));
    this.#failed.set(key, { event, backoff, timer });
  }

  #retry(key: string): void {
    const failed = this.#failed.get(key);
    // A later event of the same type is attempted already.
    if (!failed || this.#pending.has(key)) return;
    this.#pending.set(key, failed.event);
    if (!this.#isDraining) void this.#drain();
  }

  /** Returns whether a failed event was forgotten. */
  #forget(key: string): boolean {
    // A later event of the same type may wait.
    if (this.#pending.has(key)) return false;
    this.#failed.get(key)?.timer.cancel();
    return this.#failed.delete(key);
  }

  #discard(key: string): void {
    this.#pending.delete(key);
    this.#forget(key);
  }

  #dropOldest(): void {
    for (const [key, { timer, event }] of this.#failed) {
      timer.cancel();
      this.#failed.delete(key);
      this.#options.log.error('too many failed events of clusters are waiting, dropping the oldest', {
        cluster: event.clusterName,
        event: event.type,
        limit: MAX_FAILED,
      });
      return;
    }
  }

  #clear(): void {
    for (const { timer } of this.#failed.values()) timer.cancel();
    this.#failed.clear();
    this.#pending.clear();
  }
}

function keyOf({ clusterName, type }: ClusterEvent, other: ClusterEvent['type'] = type): string {
  return `${other}\n${clusterName}`;
}

/** Returns the later event, with the old state of the earlier one. */
function merged(earlier: ClusterEvent, later: ClusterEvent): ClusterEvent {
  if (earlier.type === 'labels' && later.type === 'labels') return { ...later, oldLabels: earlier.oldLabels };
  if (earlier.type === 'phase' && later.type === 'phase') {
    return { ...later, ...(earlier.oldPhase && { oldPhase: earlier.oldPhase }) };
  }
  return later;
}
