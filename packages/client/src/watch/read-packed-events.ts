import { workInTurn } from '../clock/event-loop-turn.ts';
import { PARSED_AT_ONCE } from '../json/parse-document.ts';
import { WatchScanner, type WatchItem } from '../packed/watch-scanner.ts';
import type { WatchLimits } from './read-events.ts';
import { WatchSize } from './watch-size.ts';

/** Like `readEvents`, but does not decode the objects. What arrived together is one array. */
export async function* readPackedEvents(
  body: AsyncIterable<Uint8Array>,
  { maxLine, ...limits }: WatchLimits,
): AsyncGenerator<WatchItem[], void, undefined> {
  const size = WatchSize.of(limits);
  const scanner = new WatchScanner({ maxLine });
  for await (const chunk of body) {
    for (let start = 0; start < chunk.length; start += PARSED_AT_ONCE) {
      const items = await workInTurn(() => scanner.push(chunk.subarray(start, start + PARSED_AT_ONCE)));
      if (items.length === 0) continue;
      for (const item of items) size?.addItem(item);
      yield items;
      size?.check();
    }
  }
  const last = scanner.end();
  if (last.length > 0) yield last;
}
