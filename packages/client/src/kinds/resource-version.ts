const COMPARABLE = /^[1-9][0-9]*$/;

/**
 * Orders two resource versions of one resource in one cluster: negative when `a` is older than `b`, 0 when they are
 * equal, positive when `a` is newer; `undefined` when either is not a decimal number, for then nothing is known
 * (some aggregated APIs). Versions outgrow a `number`, so they are compared as text. (Upstream: KEP-5504.)
 */
export function compareResourceVersions(a: string, b: string): number | undefined {
  if (!COMPARABLE.test(a) || !COMPARABLE.test(b)) return undefined;
  if (a.length !== b.length) return a.length - b.length;
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
