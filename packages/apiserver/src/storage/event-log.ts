import type { StoredObject } from './stored-object.ts';

export type EventType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** A write. */
export interface StoreEvent {
  readonly type: EventType;
  /** Object after the write. After a deletion: its last state, with the version of the deletion. */
  readonly object: StoredObject;
  /** Object before the write. */
  readonly previous: StoredObject | undefined;
}

/**
 * The latest writes of one resource, in order. A watch keeps only its position in this log. A watch whose position is
 * no longer in the log is ended.
 */
export class EventLog {
  readonly #limit: number;
  #events: (StoreEvent | undefined)[] = [];
  /** Events before this index are dropped. Their slots are reclaimed in bulk. */
  #start = 0;
  /** Position of `#events[0]`. Positions count every event ever appended. */
  #base = 0;
  #compactedVersion = 0;
  #filledAt = 0;
  readonly #listeners = new Set<() => void>();

  /** @param limit number of events to keep. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Version of the latest dropped event. Only events after it are available. */
  get compactedVersion(): number {
    return this.#compactedVersion;
  }

  /** The version at which the watch cache was last filled. */
  get filledAt(): number {
    return this.#filledAt;
  }

  /** Position after the latest event. */
  get end(): number {
    return this.#base + this.#events.length;
  }

  append(event: StoreEvent): void {
    this.#events.push(event);
    if (this.#events.length - this.#start > this.#limit) this.#dropFirst();
    for (const listener of this.#listeners) listener();
  }

  /**
   * Returns the event at a position, or `undefined` if it does not exist yet. For dropped events, see {@link holds}.
   */
  at(position: number): StoreEvent | undefined {
    return this.#events[position - this.#base];
  }

  /** Reports whether all events at or after `position` are available. */
  holds(position: number): boolean {
    return position >= this.#base + this.#start;
  }

  /** Returns the position of the first event after `version`, which must not be older than {@link compactedVersion}. */
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

  /** Records that the watch cache was filled at `version`, for example when a resource is served again. */
  refill(version: number): void {
    this.#filledAt = version;
  }

  /** Drops all events. `version` is the latest version of the store. */
  compact(version: number): void {
    this.#base = this.end;
    this.#events = [];
    this.#start = 0;
    this.#compactedVersion = version;
  }

  /** Calls `listener` after each append. Returns a function that unsubscribes it. */
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
