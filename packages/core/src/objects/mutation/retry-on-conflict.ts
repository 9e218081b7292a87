import type { Clock } from '@mcr/client';
import { isAlreadyExists, isConflict, sleep, systemClock } from '@mcr/client';

/** Milliseconds before each further try: time for a cache to see what another wrote. */
const DELAYS = [10, 50, 250, 1_000] as const;

export interface ConflictOptions {
  /** Ends the calls and the waits between them; usually the signal of the reconcile. */
  readonly signal?: AbortSignal;
  /** Default: the machine's own. */
  readonly clock?: Clock;
}

/**
 * Calls `attempt`, and up to four times more when it reports that the object has changed since it was read, or is
 * there already. (Upstream: client-go's `retry.RetryOnConflict`.)
 *
 * @throws the last conflict, and any other error at once.
 */
export async function retryOnConflict<Returned>(
  attempt: () => Promise<Returned>,
  { signal = new AbortController().signal, clock = systemClock }: ConflictOptions = {},
): Promise<Returned> {
  for (const delay of DELAYS) {
    try {
      return await attempt();
    } catch (error) {
      if (!isConflict(error) && !isAlreadyExists(error)) throw error;
    }
    await sleep(clock, delay, signal);
  }
  return attempt();
}
