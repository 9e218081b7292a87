import { requireExact } from '../schema/exact-integers.ts';

/** Tags of the YAML 1.1 types that a real server knows. The tag of other values is ignored. */
export type ScalarTag = 'str' | 'int' | 'float' | 'bool' | 'null' | 'binary' | 'timestamp' | 'merge';

type Scalar = string | number | boolean | null;

const WORDS: ReadonlyMap<string, boolean | null> = new Map([
  ...['', '~', 'null', 'Null', 'NULL'].map((word) => [word, null] as const),
  ...['y', 'Y', 'yes', 'Yes', 'YES', 'on', 'On', 'ON', 'true', 'True', 'TRUE'].map((word) => [word, true] as const),
  ...['n', 'N', 'no', 'No', 'NO', 'off', 'Off', 'OFF', 'false', 'False', 'FALSE'].map((word) => [word, false] as const),
]);

const INTEGER = /^(?<sign>[-+]?)(?<digits>0[xX][\da-fA-F]+|0[oO]?[0-7]+|0[bB][01]+|0|[1-9]\d*)$/u;
const FLOAT = /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/u;
const SPECIAL = /^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/u;

const SMALLEST_INT64 = -(2n ** 63n);
const LARGEST_UINT64 = 2n ** 64n - 1n;

/**
 * Returns the value of a plain scalar, as go-yaml v2 resolves it: times and numbers to base 60 are texts.
 *
 * @throws {StatusError} 501 for an integer that would be rounded.
 */
export function plainScalar(text: string): Scalar {
  const word = WORDS.get(text);
  if (word !== undefined) return word;
  // All numbers begin so.
  if (!/^[-+.\d]/u.test(text)) return text;
  const digits = text.replaceAll('_', '');
  return integerOf(digits) ?? floatOf(digits) ?? text;
}

/** Returns the value of a scalar with a tag; `undefined` if the text is not of the type. @throws {StatusError} 501 */
export function taggedScalar(tag: ScalarTag, text: string): Scalar | undefined {
  if (tag === 'str' || tag === 'timestamp' || tag === 'merge') return text;
  if (tag === 'binary') return binary(text);
  const value = plainScalar(text);
  if (tag === 'null') return value === null ? null : undefined;
  if (tag === 'bool') return typeof value === 'boolean' ? value : undefined;
  if (typeof value !== 'number') return undefined;
  return tag === 'float' || Number.isInteger(value) ? value : undefined;
}

function integerOf(text: string): number | undefined {
  // Longer texts do not fit into 64 bits, and take long to read.
  if (text.length > 70) return undefined;
  const { sign, digits } = INTEGER.exec(text)?.groups ?? {};
  if (digits === undefined) return undefined;
  const size = BigInt(/^0\d/u.test(digits) ? `0o${digits.slice(1)}` : digits.toLowerCase());
  const integer = sign === '-' ? -size : size;
  if (integer < SMALLEST_INT64 || integer > LARGEST_UINT64) return undefined;
  requireExact(integer);
  return Number(integer);
}

function floatOf(text: string): number | undefined {
  if (FLOAT.test(text)) {
    const value = Number(text);
    return Number.isFinite(value) ? value : undefined;
  }
  if (!SPECIAL.test(text)) return undefined;
  if (/nan/iu.test(text)) return Number.NaN;
  return text.startsWith('-') ? -Infinity : Infinity;
}

function binary(text: string): string | undefined {
  const digits = text.replaceAll(/\s/gu, '');
  const isBase64 = digits.length % 4 === 0 && /^[A-Za-z\d+/]*={0,2}$/u.test(digits);
  return isBase64 ? Buffer.from(digits, 'base64').toString() : undefined;
}
