import type { StatusError } from '../status.ts';
import { notImplemented } from '../status.ts';

const LARGEST = 2n ** 63n;

/** Number of digits from which a double may not hold an integer. */
const LONG = /\d{16}/u;

/** The strings and the numbers of a JSON text. */
const TOKENS = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/gu;

const INTEGER = /^-?\d+$/u;

/**
 * Refuses integers that kube-apiserver keeps exactly and this server would round: those of 64 bits beyond 2^53. A real server
 * reads larger integers as floating-point numbers, too.
 *
 * @param json a valid JSON text.
 * @throws {StatusError} 501 with the integer.
 */
export function requireExactIntegers(json: string): void {
  if (!LONG.test(json)) return;
  for (const [token] of json.matchAll(TOKENS)) {
    if (token.length >= 16 && INTEGER.test(token)) requireExact(BigInt(token));
  }
}

/** @throws {StatusError} 501 if a 64-bit integer is not exact as a number. */
export function requireExact(integer: bigint): void {
  const isInt64 = integer >= -LARGEST && integer < LARGEST;
  if (isInt64 && !Number.isSafeInteger(Number(integer))) throw inexactInteger(String(integer));
}

/** Returns the error of an integer that would be rounded. */
export function inexactInteger(text: string): StatusError {
  const limit = Number.MAX_SAFE_INTEGER;
  return notImplemented(
    `the integer ${text} is not supported: this API server keeps integers exactly only between -${limit} and ${limit}`,
  );
}
