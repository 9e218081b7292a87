import type { StatusError } from '../status.ts';
import { notImplemented } from '../status.ts';

const LARGEST = 2n ** 63n;

/** Number of digits from which a double may not hold an integer. */
const LONG = /\d{16}/u;

/** The strings and the numbers of a JSON text. */
const TOKENS = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/gu;

const INTEGER = /^-?\d+$/u;

/**
 * Refuses integers that kube-apiserver keeps exactly and this server would change: those of 64 bits whose digits a double does
 * not hold. A real server reads larger integers as floating-point numbers, too.
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

/** @throws {StatusError} 501 if a 64-bit integer would be written with other digits. */
export function requireExact(integer: bigint): void {
  const isInt64 = integer >= -LARGEST && integer < LARGEST;
  if (isInt64 && String(Number(integer)) !== String(integer)) throw inexactInteger(String(integer));
}

/** Returns the integer whose digits a number is written with. Beyond 2^53, that of the double may be another one. */
export function integerOf(value: number): bigint {
  const digits = String(value);
  return BigInt(INTEGER.test(digits) ? digits : value);
}

/** Returns an integer without a sign that Go's integers do not have. */
export function withoutNegativeZero(integer: number): number {
  return integer === 0 ? 0 : integer;
}

/** The smallest 64-bit integer, as a double and as JSON has it. */
const SMALLEST = `:${-(2 ** 63)}`;

/**
 * Refuses the smallest 64-bit integer in an object of a built-in kind, whose digits JSON does not hold.
 *
 * @throws {StatusError} 501
 */
export function requireHeldIntegers(json: Buffer): void {
  if (json.includes(SMALLEST)) throw inexactInteger(String(-LARGEST));
}

/** Returns the error of an integer that would be changed. */
export function inexactInteger(text: string): StatusError {
  return notImplemented(
    `the integer ${text} is not supported: this API server keeps numbers as doubles, which change its digits: ` +
      'send at most 15 digits, or a string',
  );
}

/** Returns the error of a number beyond those of a double. */
export function inexactNumber(): StatusError {
  return notImplemented(
    'a number above 1.8e308 is not supported: this API server keeps numbers as doubles: send a smaller one, or a string',
  );
}
