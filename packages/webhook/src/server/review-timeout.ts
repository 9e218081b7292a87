import { badRequest } from './refused-request-error.ts';

/** Milliseconds in each unit of a Go duration. */
const UNITS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};

/**
 * Returns the time that the API server waits, in milliseconds: the parameter `timeout` of the URL, which is a Go duration
 * such as `10s`.
 *
 * @param longest upper limit, and the result without the parameter.
 * @throws {RefusedRequestError} if the parameter is not a positive duration.
 */
export function reviewTimeout(parameter: string | null, longest: number): number {
  if (parameter === null) return longest;
  const time = parameter.length <= 32 ? milliseconds(parameter) : undefined;
  if (time === undefined || time <= 0)
    throw badRequest('the parameter "timeout" is invalid: send a duration such as 10s');
  return Math.min(time, longest);
}

function milliseconds(duration: string): number | undefined {
  if (!/^(?:\d+(?:\.\d+)?(?:ns|us|µs|\u03bcs|ms|s|m|h))+$/u.test(duration)) return undefined;
  const parts = duration.matchAll(/(\d+(?:\.\d+)?)(ns|us|µs|\u03bcs|ms|s|m|h)/gu);
  return [...parts].reduce((sum, [, count, unit = '']) => sum + Number(count) * (UNITS[unit] ?? 0), 0);
}
