import type { KubernetesObject, ObjectKey } from '../kinds/object.ts';
import type { ListTotal } from '../transport/response-limits.ts';
import { WatchDecodeError } from './watch-decode-error.ts';
import { isInitialEventsEnd, type WatchEvent } from './watch-event.ts';

/** The list that a watch follows, and what the watch has added to it, exceed `limits.list`. Another list may not. */
export class OutgrownListError extends Error {
  override readonly name = 'OutgrownListError';
}

export interface WatchSizeOptions {
  /** In bytes. */
  readonly limit: number;
  /** Default: only initial events are counted. */
  readonly total?: ListTotal | undefined;
  readonly sendInitialEvents: boolean;
}

/**
 * Limits what a watch makes its reader keep. Initial events count in full. A later event counts instead of the previous
 * one of its object, and not at all once the object is deleted, so that the total stays near the size of what is kept.
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

  /** @param bytes the size of the event's line. */
  add(event: WatchEvent<KubernetesObject>, bytes: number): void {
    if (this.#isInitial) {
      this.#total.bytes += bytes;
      this.#isInitial = !isInitialEventsEnd(event);
    } else if (this.#countsChanges && event.type !== 'BOOKMARK' && event.type !== 'ERROR') {
      replaceChange(this.#total, unambiguous(event.object.metadata), event.type === 'DELETED' ? 0 : bytes);
    }
  }

  /**
   * To be called once the events so far are with the reader, which then has the initial objects if they are complete.
   *
   * @throws {WatchDecodeError} when the initial events exceed the limit.
   * @throws {OutgrownListError} when the total exceeds it later.
   */
  check(): void {
    if (this.#total.bytes <= this.#limit) return;
    const excess = `more than ${this.#limit} bytes`;
    const remedy = 'raise limits.list, or select fewer objects';
    if (this.#isInitial) throw new WatchDecodeError(`the initial events have ${excess}: ${remedy}`);
    throw new OutgrownListError(`the list and the changes since then have ${excess}: listing again: ${remedy}`);
  }
}

/** @param bytes 0 if the object was deleted. */
function replaceChange(total: ListTotal, key: string, bytes: number): void {
  const changed = (total.changed ??= new Map());
  total.bytes += bytes - (changed.get(key) ?? 0);
  if (bytes > 0) changed.set(key, bytes);
  else changed.delete(key);
}

/** Different for any two keys, also where a hostile server puts a slash into a name. */
function unambiguous({ namespace = '', name }: ObjectKey): string {
  return `${namespace.length}/${namespace}/${name}`;
}
