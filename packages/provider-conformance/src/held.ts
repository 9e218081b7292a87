import { eventually } from '@mcr/core/testing';
import { failure } from './expectation.ts';

/** How long what is closed may take to be gone, in milliseconds. */
const PATIENCE = 3_000;

/** What keeps this process alive, by kind; an immediate is about to pass. */
export function held(): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) {
    if (kind !== 'Immediate') counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return counts;
}

/** @throws when this process holds more than it did `before`, and goes on to. */
export async function untilReleased(before: ReadonlyMap<string, number>): Promise<void> {
  let more: string[] = [];
  const isReleased = () => {
    // The deadline of this very wait is a timer.
    more = [...held()]
      .map(([kind, count]) => [kind, count - (before.get(kind) ?? 0) - (kind === 'Timeout' ? 1 : 0)] as const)
      .filter(([, count]) => count > 0)
      .map(([kind, count]) => `${count} ${kind}`);
    return more.length === 0;
  };
  try {
    await eventually(isReleased, { deadline: PATIENCE });
  } catch (error) {
    throw failure(
      {
        expected: 'nothing that keeps the process alive is left when everything has stopped',
        hint: 'close servers, sockets, watchers and clients before run() resolves (and what setup() opens in dispose())',
      },
      `left: ${more.join(', ')}`,
      error,
    );
  }
}
