import type { KubernetesObject, ObjectKey } from '../kinds/object.ts';
import type { ListTotal } from '../transport/response-limits.ts';
import { WatchDecodeError } from '../packed/watch-decode-error.ts';
import { isInitialEventsEnd, type WatchEvent } from '../packed/watch-event.ts';

/** A list and the changes that its watch added exceed `limits.list`. A new list may fit. */
export class OutgrownListError extends Error {
  override readonly name = 'OutgrownListError';
}

export interface WatchSizeOptions {
  /** Maximum size, in bytes. */
  readonly limit: number;
  /** Default: counts only initial events. */
  readonly total?: ListTotal | undefined;
  readonly sendInitialEvents: boolean;
}

/**
 * Limits the size of what a watch's reader stores. Initial events count in full. A later event replaces the size of the
 * previous event for the same object, and a deletion removes it, so that the total stays close to the stored size.
 */
export class WatchSize {
  readonly #limit: number;
  readonly #total: ListTotal;
  readonly #countsChanges: boolean;
  #isInitial: boolean;

  constructor({ limit, total, sendInitialEvents }: WatchSizeOptions) {
    this.#limit = limit;
    this.#total = total ?? { bytes: 0 };
    this.#countsChanges = total !== undefined;
    this.#isInitial = sendInitialEvents;
  }

  /** @param bytes size of the event's line. */
  add(event: WatchEvent<KubernetesObject>, bytes: number): void {
    if (this.#isInitial) {
      this.#total.bytes += bytes;
      this.#isInitial = !isInitialEventsEnd(event);
    } else if (this.#countsChanges && event.type !== 'BOOKMARK' && event.type !== 'ERROR') {
      replaceChange(this.#total, unambiguousKey(event.object.metadata), event.type === 'DELETED' ? 0 : bytes);
    }
  }

  /**
   * Checks the limit. Call it after the reader has received the events so far, so that it has all initial objects if
   * they are complete.
   *
   * @throws {WatchDecodeError} if the initial events exceed the limit.
   * @throws {OutgrownListError} if the total exceeds the limit later.
   */
  check(): void {
    if (this.#total.bytes <= this.#limit) return;
    const excess = `more than ${this.#limit} bytes`;
    const remedy = 'raise limits.list, or select fewer objects';
    if (this.#isInitial) throw new WatchDecodeError(`the initial events have ${excess}: ${remedy}`);
    throw new OutgrownListError(
      `the list and the changes since then have ${excess}, so they are listed again: ${remedy}`,
    );
  }
}

/** Replaces the size of an object. @param bytes 0 if the object was deleted. */
function replaceChange(total: ListTotal, key: string, bytes: number): void {
  const changed = (total.changed ??= new Map());
  total.bytes += bytes - (changed.get(key) ?? 0);
  if (bytes > 0) changed.set(key, bytes);
  else changed.delete(key);
}

/** Returns a text that differs for any two keys, even if a hostile server puts a slash into a name. */
function unambiguousKey({ namespace = '', name }: ObjectKey): string {
  return `${namespace.length}/${namespace}/${name}`;
}
