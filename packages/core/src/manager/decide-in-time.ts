import type { Clock } from '@mcr/client';
import { orAborted } from '@mcr/client';

/** Deadline of an asynchronous cluster filter, in milliseconds. */
const TIMEOUT = 10_000;

/**
 * Waits for the decision of a cluster filter, which may be asynchronous.
 *
 * @throws the reason of `signal` if it aborts, or an error if the filter has not decided after 10 s.
 */
export async function decideInTime(
  decision: boolean | Promise<boolean>,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal | undefined },
): Promise<boolean> {
  if (typeof decision === 'boolean') return decision;
  const end = new AbortController();
  const late = new Error(`the cluster filter has not decided within ${TIMEOUT} ms: let its promise settle earlier`);
  const timer = clock.schedule(TIMEOUT, () => end.abort(late));
  try {
    return await orAborted(decision, signal ? AbortSignal.any([signal, end.signal]) : end.signal);
  } finally {
    timer.cancel();
  }
}
