import { badRequest } from '../status.ts';

const MAX_INT64 = 2n ** 63n - 1n;

/**
 * Checks the integers of a query, even those that a request does not use.
 *
 * @throws {StatusError} 400 with the error of Go.
 */
export function requireIntegers(query: URLSearchParams, names: readonly string[]): void {
  for (const name of names) {
    const text = query.get(name);
    if (text === null) continue;
    const fault = faultOf(text);
    if (fault !== undefined) throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: ${fault}`);
  }
}

function faultOf(text: string): string | undefined {
  if (!/^[+-]?\d+$/.test(text)) return 'invalid syntax';
  const value = BigInt(text.replace(/^\+/, ''));
  return value > MAX_INT64 || value < -MAX_INT64 - 1n ? 'value out of range' : undefined;
}
