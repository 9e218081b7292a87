import { workInTurn } from '../clock/event-loop-turn.ts';
import { PARSED_AT_ONCE } from '../json/parse-document.ts';
import type { KubernetesObject } from '../kinds/object.ts';
import { EventDecoder } from './event-decoder.ts';
import type { WatchEvent } from '../packed/watch-event.ts';
import { WatchSize, type WatchSizeOptions } from './watch-size.ts';

export interface WatchLimits extends WatchSizeOptions {
  /** Maximum length of a line, in bytes. */
  readonly maxLine: number;
}

/**
 * Yields the events of a watch stream. Events that arrived together are one batch.
 *
 * @throws {WatchDecodeError} if the stream contains anything else, exceeds a limit, or ends within an event.
 * @throws {OutgrownListError} if `total` exceeds its limit after the initial events.
 */
export async function* readEvents<T extends KubernetesObject>(
  body: AsyncIterable<Uint8Array>,
  { maxLine, ...limits }: WatchLimits,
): AsyncGenerator<WatchEvent<T>[], void, undefined> {
  const size = WatchSize.of(limits);
  const onEvent = size && ((event: WatchEvent<T>, line: string) => size.addEvent(event, Buffer.byteLength(line) + 1));
  const decoder = new EventDecoder<T>(maxLine, onEvent);
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
