import type { KubernetesObject, ObjectKey } from '../kinds/object.ts';
import type { ListTotal } from '../transport/response-limits.ts';
import { WatchDecodeError } from '../packed/watch-decode-error.ts';
import { ENVELOPE, ENVELOPE_SIZE, PACKED_TYPE, type PackedBatch } from '../packed/packed-batch.ts';
import { isInitialEventsEnd, type WatchEvent } from '../packed/watch-event.ts';
import type { WatchItem } from '../packed/watch-scanner.ts';

/** A list and the changes that its watch added exceed `limits.list`. A new list may fit. */
export class OutgrownListError extends Error {
  override readonly name = 'OutgrownListError';
}

export interface WatchSizeOptions {
  /**
   * Maximum size of all initial objects of a WatchList together, including what later events add to `total`, in bytes.
   * Default: no limit.
   */
  readonly maxTotal?: number;
  /** Counts the list that the watch continues and what the watch adds to it. Default: limits only initial objects. */
  readonly total?: ListTotal | undefined;
  /** Whether the stream begins with initial objects. Default: false. */
  readonly sendInitialEvents?: boolean | undefined;
}

/**
 * Limits the size of what a watch's reader stores. Initial objects count in full. A later event replaces the size of the
 * previous event for the same object, and a deletion removes it, so that the total stays close to the stored size.
 */
export class WatchSize {
  readonly #limit: number;
  readonly #total: ListTotal;
  readonly #countsChanges: boolean;
  #isInitial: boolean;

  /** Returns `undefined` if nothing is limited. */
  static of(options: WatchSizeOptions): WatchSize | undefined {
    const { maxTotal = Infinity, total, sendInitialEvents } = options;
    return maxTotal < Infinity && (total || sendInitialEvents) ? new WatchSize(options) : undefined;
  }

  private constructor({ maxTotal = Infinity, total, sendInitialEvents = false }: WatchSizeOptions) {
    this.#limit = maxTotal;
    this.#total = total ?? { bytes: 0 };
    this.#countsChanges = total !== undefined;
    this.#isInitial = sendInitialEvents;
  }

  /** @param bytes size of the event's line. */
  addEvent(event: WatchEvent<KubernetesObject>, bytes: number): void {
    if (event.type === 'BOOKMARK') this.#isInitial &&= !isInitialEventsEnd(event);
    else if (event.type !== 'ERROR') this.#add(() => event.object.metadata, event.type === 'DELETED' ? 0 : bytes);
  }

  addItem(item: WatchItem): void {
    if (item.type === 'BOOKMARK') this.#isInitial &&= !isInitialEventsEnd(item);
    else if (item.type === 'objects') this.#addBatch(item.batch);
  }

  #addBatch({ bytes, envelopes, length }: PackedBatch): void {
    const number = (at: number): number => envelopes[at] as number;
    const text = (at: number): string => bytes.toString('utf8', number(at), number(at + 1));
    for (let at = 0; at < length * ENVELOPE_SIZE; at += ENVELOPE_SIZE) {
      const isDeleted = number(at + ENVELOPE.type) === PACKED_TYPE.DELETED;
      const size = number(at + ENVELOPE.object + 1) - number(at + ENVELOPE.object);
      const key = () => ({ namespace: text(at + ENVELOPE.namespace), name: text(at + ENVELOPE.name) });
      this.#add(key, isDeleted ? 0 : size);
    }
  }

  /** @param bytes 0 if the object was deleted. */
  #add(key: () => ObjectKey, bytes: number): void {
    if (this.#isInitial) this.#total.bytes += bytes;
    else if (this.#countsChanges) replaceChange(this.#total, unambiguousKey(key()), bytes);
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
