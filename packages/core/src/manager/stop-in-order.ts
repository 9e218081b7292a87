import type { Clock } from '@mcr/client';
import type { RunnableSet } from './runnable-set.ts';
import { runnablesText } from './runnable-text.ts';

export interface StopOptions {
  /** For all groups together, in milliseconds. `0` means no wait, `-1` no limit. */
  readonly timeout: number;
  /** The time that the user has set, for the error, in milliseconds. Default: `timeout`. */
  readonly gracePeriod?: number;
  readonly clock: Clock;
}

/**
 * Stops the groups one after another, each after the previous one has ended. At the timeout, stops all remaining groups
 * together.
 *
 * @throws {Error} if a runnable has not ended by then; the message names it.
 */
export async function stopInOrder(groups: readonly RunnableSet[], options: StopOptions): Promise<void> {
  const { timeout, gracePeriod = timeout, clock } = options;
  if (timeout === 0) {
    for (const group of groups) group.abort();
    return;
  }
  const outOfTime = Promise.withResolvers<void>();
  const timer = timeout < 0 ? undefined : clock.schedule(timeout, outOfTime.resolve);
  const stopped = (async () => {
    for (const group of groups) {
      group.abort();
      await group.ended();
    }
  })();
  await Promise.race([stopped, outOfTime.promise]);
  timer?.cancel();

  const left = groups.flatMap((group) => (group.signal.aborted ? group.running : []));
  if (left.length === 0) return;
  for (const group of groups) group.abort();
  throw new Error(
    `${left.length} ${left.length === 1 ? 'runnable has' : 'runnables have'} not stopped within the grace period of ${gracePeriod} ms: ${runnablesText(left)}`,
  );
}
