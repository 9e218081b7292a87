import { workInTurn } from '../clock/event-loop-turn.ts';
import { ChunkedBody } from '../transport/chunked-body.ts';

/**
 * Number of bytes that are scanned in one call. It takes less than a millisecond for objects in the form that API servers
 * send, and up to 15 ms for small objects in another form, such as names with escapes.
 */
const SCANNED_AT_ONCE = 128 * 1024;

/** Yields the result of `scan` for the chunks of a body, in portions that do not block the thread for long. */
export async function* scanInTurns<Result>(
  body: AsyncIterable<Uint8Array>,
  scan: (chunks: readonly Uint8Array[]) => Result,
): AsyncGenerator<Result, void, undefined> {
  for await (const group of ChunkedBody.groupsOf(body)) {
    for (const chunks of portionsOf(group)) yield await workInTurn(() => scan(chunks));
  }
}

/**
 * Yields the chunks of a group in portions that are scanned in one turn. Each portion is the same array, which is emptied
 * afterwards, because an idle watch keeps it.
 */
export function* portionsOf(group: readonly Uint8Array[]): Generator<readonly Uint8Array[], void, undefined> {
  const portion: Uint8Array[] = [];
  let size = 0;
  for (const chunk of group) {
    for (let start = 0; start < chunk.length; start += SCANNED_AT_ONCE) {
      const part = chunk.subarray(start, start + SCANNED_AT_ONCE);
      if (size + part.length > SCANNED_AT_ONCE) {
        yield portion;
        portion.length = 0;
        size = 0;
      }
      portion.push(part);
      size += part.length;
    }
  }
  if (size > 0) yield portion;
  portion.length = 0;
}
