import { workInTurn } from '../cache/event-loop-turn.ts';
import { PARSED_AT_ONCE } from '../json/parse-document.ts';
import type { KubernetesObject } from '../kinds/object.ts';
import { EventDecoder } from './event-decoder.ts';
import { WatchDecodeError } from './watch-decode-error.ts';
import { isInitialEventsEnd, type WatchEvent } from './watch-event.ts';

/** In bytes. */
export interface WatchLimits {
  /** The longest line. */
  readonly maxLine: number;
  /** All initial events of a WatchList together. Default: no limit. */
  readonly maxInitial?: number;
}

/**
 * The events of a watch stream, those that arrived together given together.
 *
 * @throws {WatchDecodeError} when the stream contains anything else, exceeds a limit, or ends within an event.
 */
export async function* readEvents<T extends KubernetesObject>(
  body: AsyncIterable<Uint8Array>,
  { maxLine, maxInitial = Infinity }: WatchLimits,
): AsyncGenerator<WatchEvent<T>[], void, undefined> {
  const decoder = new EventDecoder<T>(maxLine);
  let isInitial = maxInitial < Infinity;
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    for (let start = 0; start < chunk.length; start += PARSED_AT_ONCE) {
      const events = await workInTurn(() => decoder.push(chunk.subarray(start, start + PARSED_AT_ONCE)));
      if (isInitial && events.some(isInitialEventsEnd)) isInitial = false;
      if (events.length > 0) yield events;
    }
    if (isInitial && bytes > maxInitial) {
      throw new WatchDecodeError(
        `the initial events have more than ${maxInitial} bytes: raise limits.list, or select fewer objects`,
      );
    }
  }
  const last = decoder.end();
  if (last.length > 0) yield last;
}
