import { workInTurn } from '../cache/event-loop-turn.ts';
import type { KubernetesObject } from '../kinds/object.ts';
import { EventDecoder } from './event-decoder.ts';
import type { WatchEvent } from './watch-event.ts';

/** How many bytes are parsed in one go: a chunk is whatever has arrived since the last one, which can be megabytes. */
const SLICE = 256 * 1024;

/**
 * The events of a watch stream, those that arrived together given together.
 *
 * @throws {WatchDecodeError} when the stream holds something else, or ends within an event.
 */
export async function* readEvents<T extends KubernetesObject>(
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<WatchEvent<T>[], void, undefined> {
  const decoder = new EventDecoder<T>();
  for await (const chunk of body) {
    for (let start = 0; start < chunk.length; start += SLICE) {
      const events = await workInTurn(() => decoder.push(chunk.subarray(start, start + SLICE)));
      if (events.length > 0) yield events;
    }
  }
  const last = decoder.end();
  if (last.length > 0) yield last;
}
