import { scanInTurns } from '../packed/scan-in-turns.ts';
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
  for await (const items of scanInTurns(body, (chunks) => scanner.push(...chunks))) {
    if (items.length === 0) continue;
    for (const item of items) size?.addItem(item);
    yield items;
    size?.check();
  }
  const last = scanner.end();
  if (last.length > 0) yield last;
}
