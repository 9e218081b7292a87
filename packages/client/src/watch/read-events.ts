import { workInTurn } from '../clock/event-loop-turn.ts';
import { PARSED_AT_ONCE } from '../json/parse-document.ts';
import type { KubernetesObject } from '../kinds/object.ts';
import { EventDecoder } from './event-decoder.ts';
import type { ListTotal } from '../transport/response-limits.ts';
import type { WatchEvent } from '../packed/watch-event.ts';
import { WatchSize } from './watch-size.ts';

export interface WatchLimits {
  /** Maximum length of a line, in bytes. */
  readonly maxLine: number;
  /**
   * Maximum size of all initial events of a WatchList together, including what later events add to `total`, in bytes.
   * Default: no limit.
   */
  readonly maxTotal?: number;
  /** Counts the list that the watch continues and what the watch adds to it. Default: limits only initial events. */
  readonly total?: ListTotal | undefined;
  /** Whether the stream begins with initial events. Default: false. */
  readonly sendInitialEvents?: boolean | undefined;
}

/**
 * Yields the events of a watch stream. Events that arrived together are one batch.
 *
 * @throws {WatchDecodeError} if the stream contains anything else, exceeds a limit, or ends within an event.
 * @throws {OutgrownListError} if `total` exceeds its limit after the initial events.
 */
export async function* readEvents<T extends KubernetesObject>(
  body: AsyncIterable<Uint8Array>,
  { maxLine, maxTotal = Infinity, total, sendInitialEvents = false }: WatchLimits,
): AsyncGenerator<WatchEvent<T>[], void, undefined> {
  const isLimited = maxTotal < Infinity && (total !== undefined || sendInitialEvents);
  const size = isLimited ? new WatchSize({ limit: maxTotal, total, sendInitialEvents }) : undefined;
  const decoder = new EventDecoder<T>(maxLine, size && ((event, line) => size.add(event, Buffer.byteLength(line) + 1)));
  for await (const chunk of body) {
    for (let start = 0; start < chunk.length; start += PARSED_AT_ONCE) {
      const events = await workInTurn(() => decoder.push(chunk.subarray(start, start + PARSED_AT_ONCE)));
      if (events.length > 0) yield events;
      size?.check();
    }
  }
  const last = decoder.end();
  if (last.length > 0) yield last;
}
