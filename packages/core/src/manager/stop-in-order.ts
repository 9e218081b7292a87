import type { Clock } from '@mcr/client';
import type { RunnableSet } from './runnable-set.ts';

export interface StopOptions {
  /** For all together, in milliseconds; `0`: do not wait; `-1`: wait for as long as it takes. */
  readonly timeout: number;
  readonly clock: Clock;
}

/**
 * Stops one group after the other, each when all of the one before has ended, and all at once when time is up.
 *
 * @throws {Error} when something is still running then.
 */
export async function stopInOrder(groups: readonly RunnableSet[], { timeout, clock }: StopOptions): Promise<void> {
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

  const left = groups.reduce((sum, group) => sum + (group.signal.aborted ? group.size : 0), 0);
  if (left === 0) return;
  for (const group of groups) group.abort();
  throw new Error(
    `${left} ${left === 1 ? 'runnable has' : 'runnables have'} not stopped within the grace period of ${timeout} ms`,
  );
}
