/** Maximum delay that a server can request, in milliseconds, so that a mistake does not stop a watch for long. */
const MAX_DELAY = 300_000;

/**
 * Returns the delay of a `Retry-After` header in milliseconds, at most 5 minutes; `undefined` if the header is missing
 * or not valid. The header contains seconds or, from some proxies, a date (RFC 9110 section 10.2.3).
 */
export function retryAfterOf(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  const delay = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(delay) ? undefined : limitedRetryAfter(delay);
}

/** Limits `delay` to the range from 0 to 5 minutes. */
export function limitedRetryAfter(delay: number): number {
  return Math.min(Math.max(delay, 0), MAX_DELAY);
}
