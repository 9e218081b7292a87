import { badRequest } from '../status.ts';

const MAX_INT64 = 2n ** 63n - 1n;
const MAX_UINT64 = 2n ** 64n - 1n;

/**
 * Checks the integers of a query, even those that a request does not use.
 *
 * @throws {StatusError} 400 with the error of Go.
 */
export function requireIntegers(query: URLSearchParams, names: readonly string[]): void {
  for (const name of names) integerOf(query, name);
}

/**
 * Returns an integer of a query as Go reads it: decimal, of 64 bits, with an optional sign. A value beyond 2^53 is rounded.
 *
 * @throws {StatusError} 400 with the error of Go.
 */
export function integerOf(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  const value = /^[+-]?\d+$/.test(text) ? BigInt(text.replace(/^\+/, '')) : undefined;
  if (value === undefined) throw badRequest(parseFault('ParseInt', text, 'invalid syntax'));
  if (value > MAX_INT64 || value < -MAX_INT64 - 1n)
    throw badRequest(parseFault('ParseInt', text, 'value out of range'));
  return Number(value);
}

/** Returns Go's error for a text that is not an unsigned integer of 64 bits, or `undefined`. */
export function unsignedFault(text: string): string | undefined {
  if (!/^\d+$/.test(text)) return parseFault('ParseUint', text, 'invalid syntax');
  return BigInt(text) > MAX_UINT64 ? parseFault('ParseUint', text, 'value out of range') : undefined;
}

function parseFault(call: string, text: string, why: string): string {
  return `strconv.${call}: parsing ${JSON.stringify(text)}: ${why}`;
}
