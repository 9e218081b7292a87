const COMPARABLE = /^[1-9][0-9]*$/;

/**
 * Orders two resource versions of one resource in one cluster. Returns a negative number if `a` is older than `b`, 0 if
 * they are equal, a positive number if `a` is newer, and `undefined` if either is not a decimal number, as in some
 * aggregated APIs. Versions can exceed a `number`, so they are compared as text. (Upstream: KEP-5504.)
 */
export function compareResourceVersions(a: string, b: string): number | undefined {
  if (!COMPARABLE.test(a) || !COMPARABLE.test(b)) return undefined;
  if (a.length !== b.length) return a.length - b.length;
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
