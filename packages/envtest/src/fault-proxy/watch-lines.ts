import { setTimeout as sleep } from 'node:timers/promises';
import type { ParsedRequestFault } from './fault.ts';
import type { ActiveFault } from './rulebook.ts';
import { statusOf } from './status.ts';

const NEWLINE = 0x0a;

export interface WatchLinesOptions {
  readonly activeFaults: () => readonly ActiveFault<ParsedRequestFault>[];
  readonly signal: AbortSignal;
}

/** Yields the lines of a watch after the faults for events have been applied. */
export async function* watchLines(
  body: AsyncIterable<Uint8Array>,
  { activeFaults, signal }: WatchLinesOptions,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const line of lines(body)) {
    const faults = activeFaults();
    for (const { fault, over } of faults) {
      if (fault.type !== 'delay') continue;
      await sleep(fault.duration, undefined, { signal: AbortSignal.any([over, signal]), ref: false }).catch(
        () => undefined,
      );
    }
    const error = faults.find(({ fault }) => fault.type === 'error-event')?.fault;
    if (error?.type === 'error-event') {
      yield Buffer.from(`${JSON.stringify({ type: 'ERROR', object: statusOf(error) })}\n`);
      return;
    }
    if (faults.some(({ fault }) => fault.type === 'swallow' && isBookmark(line, fault.events))) continue;
    yield line;
    if (faults.some(({ fault }) => fault.type === 'repeat')) yield line;
  }
}

function isBookmark(line: Buffer, events: 'bookmarks' | 'initial-events-end'): boolean {
  const text = line.toString();
  if (!text.includes('BOOKMARK')) return false;
  const { type, object } = JSON.parse(text) as { type: string; object: { metadata: { annotations?: object } } };
  return (
    type === 'BOOKMARK' &&
    (events === 'bookmarks' || 'k8s.io/initial-events-end' in (object.metadata.annotations ?? {}))
  );
}

/** Yields lines, each with its newline. */
async function* lines(body: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, void, undefined> {
  let rest: Uint8Array[] = [];
  for await (const chunk of body) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE) + 1; end > 0; end = chunk.indexOf(NEWLINE, start) + 1) {
      yield Buffer.concat([...rest, chunk.subarray(start, end)]);
      rest = [];
      start = end;
    }
    if (start < chunk.length) rest.push(chunk.subarray(start));
  }
  if (rest.length > 0) yield Buffer.concat(rest);
}
