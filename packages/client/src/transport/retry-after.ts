/**
 * For how long a server asks to be left alone, in milliseconds. The header holds seconds or, from a proxy, a date
 * (RFC 9110 section 10.2.3).
 */
export function retryAfterOf(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  const delay = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isFinite(delay) ? Math.max(delay, 0) : undefined;
}
