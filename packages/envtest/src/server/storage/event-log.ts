import type { StoredObject } from './stored-object.ts';

export type EventType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** One write. */
export interface StoreEvent {
  readonly type: EventType;
  /** What the write left; of a deletion the last state, under the version of the deletion. */
  readonly object: StoredObject;
  /** What was there before. */
  readonly previous: StoredObject | undefined;
}

/**
 * The latest writes of one resource, in order. It is the whole of a watch's memory: a watch holds only its position
 * here, and one that has fallen further behind than the log reaches is cut off.
 */
export class EventLog {
  readonly #limit: number;
  #events: (StoreEvent | undefined)[] = [];
  /** Events before this index have been dropped; their slots wait to be reclaimed in bulk. */
  #start = 0;
  /** The position of `#events[0]`. Positions count every event ever appended. */
  #base = 0;
  #compactedVersion = 0;
  #filledAt = 0;
  readonly #listeners = new Set<() => void>();

  /** @param limit how many events are kept. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The version of the latest event that was dropped: what follows it is known, what led to it is not. */
  get compactedVersion(): number {
    return this.#compactedVersion;
  }

  /** The position after the latest event. */
  /** The version at which the watch cache was last filled. */
  get filledAt(): number {
    return this.#filledAt;
  }

  get end(): number {
    return this.#base + this.#events.length;
  }

  append(event: StoreEvent): void {
    this.#events.push(event);
    if (this.#events.length - this.#start > this.#limit) this.#dropFirst();
    for (const listener of this.#listeners) listener();
  }

  /** The event at a position, or `undefined` where there is none yet. Dropped ones: see {@link holds}. */
  at(position: number): StoreEvent | undefined {
    return this.#events[position - this.#base];
  }

  /** Whether nothing at or after `position` has been dropped. */
  holds(position: number): boolean {
    return position >= this.#base + this.#start;
  }

  /** The position of the first event after `version`, which must not be older than {@link compactedVersion}. */
  positionAfter(version: number): number {
    let low = this.#start;
    let high = this.#events.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const event = this.#events[middle];
      if (event && event.object.version <= version) low = middle + 1;
      else high = middle;
    }
    return this.#base + low;
  }

  /** Forgets every event so far. `version` is the store's latest. */
  /** A resource that is served again has a new watch cache. */
  refill(version: number): void {
    this.#filledAt = version;
  }

  compact(version: number): void {
    this.#base = this.end;
    this.#events = [];
    this.#start = 0;
    this.#compactedVersion = version;
  }

  /** Calls `listener` after each append. Returns what ends that. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #dropFirst(): void {
    this.#compactedVersion = this.#events[this.#start]?.object.version ?? this.#compactedVersion;
    this.#events[this.#start] = undefined;
    this.#start += 1;
    if (this.#start < 1024 || this.#start * 2 < this.#events.length) return;
    this.#events = this.#events.slice(this.#start);
    this.#base += this.#start;
    this.#start = 0;
  }
}
