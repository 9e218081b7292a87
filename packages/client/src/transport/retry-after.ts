/** Longest wait that a server can ask for, in milliseconds: a longer one would silence a watch even if it is a mistake. */
const LONGEST = 300_000;

/**
 * Returns how long a server asks the client to wait, in milliseconds, at most 5 minutes; `undefined` if the header cannot
 * be read. It holds seconds or, from a proxy, a date (RFC 9110 section 10.2.3).
 */
export function retryAfterOf(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  const delay = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(delay) ? undefined : limitedRetryAfter(delay);
}

/** Returns `delay`, at least 0 and at most 5 minutes. */
export function limitedRetryAfter(delay: number): number {
  return Math.min(Math.max(delay, 0), LONGEST);
}
