import { workInTurn } from '../clock/event-loop-turn.ts';
import { portionsOf } from '../packed/scan-in-turns.ts';
import { WatchScanner, type WatchItem } from '../packed/watch-scanner.ts';
import { statusOf } from '../response/status.ts';
import { ChunkedBody } from '../transport/chunked-body.ts';
import type { TransportResponse } from '../transport/transport.ts';
import type { WatchLimits } from './read-events.ts';
import { WatchSize } from './watch-size.ts';

/**
 * Like `readEvents`, but does not decode the objects. What arrived together is one array. Errors of the server contain no
 * credentials.
 *
 * @param open sends the request. One generator does all the work, because every watch keeps its generators.
 * @throws the errors of `open`.
 */
export async function* readPackedEvents(
  open: () => Promise<Pick<TransportResponse, 'body' | 'withoutCredentials'>>,
  { maxLine, ...limits }: WatchLimits,
): AsyncGenerator<readonly WatchItem[], void, undefined> {
  const response = await open();
  const printable = (item: WatchItem): WatchItem =>
    item.type === 'ERROR' ? { ...item, object: response.withoutCredentials(statusOf(item.object)) } : item;
  const size = WatchSize.of(limits);
  const scanner = new WatchScanner({ maxLine });
  for await (const group of ChunkedBody.groupsOf(response.body)) {
    for (const chunks of portionsOf(group)) {
      const items = await workInTurn(() => scanner.push(...chunks));
      if (items.length === 0) continue;
      for (const item of items) size?.addItem(item);
      yield items.map(printable);
      size?.check();
    }
  }
  const last = scanner.end();
  if (last.length > 0) yield last.map(printable);
}
