import type { KubernetesObject } from '../kinds/object.ts';
import { EventDecoder } from './event-decoder.ts';
import type { WatchEvent } from './watch-event.ts';

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
    const events = decoder.push(chunk);
    if (events.length > 0) yield events;
  }
  const last = decoder.end();
  if (last.length > 0) yield last;
}
