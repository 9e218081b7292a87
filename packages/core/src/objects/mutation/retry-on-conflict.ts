import type { Clock } from '@mcr/client';
import { isAlreadyExists, isConflict, sleep, systemClock } from '@mcr/client';

/** Delays of the retries in milliseconds, in which a cache can receive the newer object. */
const DELAYS = [10, 50, 250, 1_000] as const;

/** Options of {@link retryOnConflict}. */
export interface ConflictOptions {
  /** Aborts the calls and the delays between them. Usually the signal of the reconcile. */
  readonly signal?: AbortSignal;
  /** Default: the system clock. */
  readonly clock?: Clock;
}

/**
 * Calls `attempt`, and retries it up to four times if it fails with a conflict or because the object exists already.
 * (Upstream: client-go's `retry.RetryOnConflict`.)
 *
 * @throws the last conflict after all attempts, or any other error without a retry.
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
