import { backoffDelay } from '../clock/backoff.ts';
import { retryAfterOf } from './retry-after.ts';
import type { TransportRequest, TransportResponse } from './transport.ts';
import { isTransportError, type TransportErrorCode } from '../errors/transport-error.ts';

/** Result of one attempt. */
export type Outcome =
  | { readonly type: 'response'; readonly response: TransportResponse }
  | { readonly type: 'failure'; readonly error: unknown };

/** Maximum number of retries if the server does not send `Retry-After`. */
export const MAX_RETRIES = 2;
/** Maximum number of retries if each response has `Retry-After`. (Upstream: client-go `rest/with_retry.go`.) */
export const MAX_REQUESTED_RETRIES = 10;
/** Minimum delay of a retry, before jitter, in milliseconds. It is also the delay of the first retry. */
export const FIRST_DELAY = 800;
/** {@link MAX_RETRIES} limits the backoff, so it needs no maximum delay. */
const BACKOFF = { base: FIRST_DELAY, max: Infinity, jitter: 0 };

/** Statuses of temporary failures. A read is retried. */
const TRANSIENT: ReadonlySet<number> = new Set([429, 500, 502, 503, 504]);
/** Statuses with which the server did not process the request. With `Retry-After`, writes are retried too. */
const UNPROCESSED: ReadonlySet<number> = new Set([429, 503]);
/** Codes of temporary failures. `deadline` is not one of them, because another attempt would take as long. */
const TRANSIENT_FAILURES: ReadonlySet<TransportErrorCode> = new Set(['refused', 'unresolved', 'reset']);

/**
 * Returns the delay until a request is retried, in milliseconds and before jitter; `undefined` if it is not retried.
 *
 * A write is retried only if the server certainly did not process it: there was no connection, the connection was lost
 * before the server received the request, or the response was a 429 or 503 with `Retry-After`. A read is also retried
 * after a lost connection and after any {@link TRANSIENT} status.
 *
 * @param retries number of retries so far.
 */
export function retryDelay(
  { method, streaming, retry }: Pick<TransportRequest, 'method' | 'streaming' | 'retry'>,
  outcome: Outcome,
  retries: number,
): number | undefined {
  if (streaming || retry === 'never') return undefined;
  const safe = method === 'GET';
  const backoff = retries < MAX_RETRIES ? backoffDelay(BACKOFF, retries + 1) : undefined;
  if (outcome.type === 'failure') {
    const { error } = outcome;
    const retriable = isTransportError(error) && TRANSIENT_FAILURES.has(error.code) && (safe || error.unprocessed);
    return retriable ? backoff : undefined;
  }
  const { status, headers } = outcome.response;
  if (!TRANSIENT.has(status)) return undefined;
  const requested = retryAfterOf(headers['retry-after']);
  if (requested === undefined) return safe ? backoff : undefined;
  return retries < MAX_REQUESTED_RETRIES && (safe || UNPROCESSED.has(status))
    ? Math.max(requested, FIRST_DELAY)
    : undefined;
}
