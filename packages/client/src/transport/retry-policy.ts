import { backoffDelay } from '../clock/backoff.ts';
import { retryAfterOf } from './retry-after.ts';
import type { TransportRequest, TransportResponse } from './transport.ts';
import { isTransportError, type TransportErrorCode } from '../errors/transport-error.ts';

/** What one try came to. */
export type Outcome =
  | { readonly type: 'response'; readonly response: TransportResponse }
  | { readonly type: 'failure'; readonly error: unknown };

/** How often a request is sent again when the server does not ask for it. */
export const MOST_RETRIES = 2;
/** How often it is sent again when each answer says `Retry-After`. (Upstream: client-go `rest/with_retry.go`.) */
export const MOST_RETRIES_ASKED_FOR = 10;
/** The wait before the first of them, in milliseconds and before jitter; no wait is shorter. */
export const FIRST_DELAY = 800;
/** Ends after {@link MOST_RETRIES}, not at a longest delay. */
const BACKOFF = { base: FIRST_DELAY, max: Infinity, jitter: 0 };

/** Statuses of a server that is for the moment unable: a read may go better soon. */
const PASSING: ReadonlySet<number> = new Set([429, 500, 502, 503, 504]);
/** Those by which the server says that it did nothing: with `Retry-After` they hold for writes too. */
const UNPROCESSED: ReadonlySet<number> = new Set([429, 503]);
/** A deadline for connecting that has passed is none of these: another one would take as long. */
const PASSING_FAILURES: ReadonlySet<TransportErrorCode> = new Set(['refused', 'unresolved', 'reset']);

/**
 * After how many milliseconds, before jitter, a request is sent again; `undefined`: it is not.
 *
 * A write is sent again only when the server certainly did nothing with it: no connection, a connection lost before the
 * server saw the request, or a 429 or 503 that says `Retry-After`. A read is also sent again after a lost connection
 * and after any {@link PASSING} status.
 *
 * @param retries how often it was sent again before.
 */
export function retryDelay(
  { method, streaming, retry }: Pick<TransportRequest, 'method' | 'streaming' | 'retry'>,
  outcome: Outcome,
  retries: number,
): number | undefined {
  if (streaming || retry === 'never') return undefined;
  const safe = method === 'GET';
  const backoff = retries < MOST_RETRIES ? backoffDelay(BACKOFF, retries + 1) : undefined;
  if (outcome.type === 'failure') {
    const { error } = outcome;
    const passing = isTransportError(error) && PASSING_FAILURES.has(error.code) && (safe || error.unprocessed);
    return passing ? backoff : undefined;
  }
  const { status, headers } = outcome.response;
  if (!PASSING.has(status)) return undefined;
  const asked = retryAfterOf(headers['retry-after']);
  if (asked === undefined) return safe ? backoff : undefined;
  return retries < MOST_RETRIES_ASKED_FOR && (safe || UNPROCESSED.has(status))
    ? Math.max(asked, FIRST_DELAY)
    : undefined;
}
