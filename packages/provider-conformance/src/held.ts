import { eventually } from '@mcr/core/testing';
import { failure } from './expectation.ts';

/** Time for closed resources to be released on a busy machine, in milliseconds. */
const PATIENCE = 10_000;

/** Counts the resources that keep this process alive, by kind. Ignores immediates, which end by themselves. */
export function held(): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) {
    if (kind !== 'Immediate') counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return counts;
}

/** @throws {Error} if this process keeps holding more resources than `before`. */
export async function untilReleased(before: ReadonlyMap<string, number>): Promise<void> {
  let more: string[] = [];
  const isReleased = () => {
    // Subtracts the timer of this wait.
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
        expected: 'no resource that keeps the process alive is left after everything has stopped',
        hint: 'close servers, sockets, watchers and clients before run() resolves, and resources of setup() in dispose()',
      },
      `left: ${more.join(', ')}`,
      error,
    );
  }
}
