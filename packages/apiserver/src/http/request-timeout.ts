import type { RequestInfo } from '../access/request-info.ts';

/** Verbs and subresources of requests that last until the client ends them. They have no timeout. */
const LONG_VERBS: ReadonlySet<string> = new Set(['watch', 'proxy']);
const LONG_SUBRESOURCES: ReadonlySet<string> = new Set(['attach', 'exec', 'proxy', 'log', 'portforward']);

const UNITS: ReadonlySet<string> = new Set(['ns', 'us', 'µs', 'μs', 'ms', 's', 'm', 'h']);

/** Longest duration in Go, in hours. */
const LONGEST_HOURS = 2 ** 63 / 3.6e12;

/** Hours in a unit. */
const HOURS: Readonly<Record<string, number>> = { ms: 1 / 3.6e6, s: 1 / 3600, m: 1 / 60, h: 1 };

/**
 * Returns why a request is refused for its query parameter `timeout`, in the words of a real server, or `undefined`. A
 * valid timeout has no effect. (Upstream: `WithRequestDeadline`.)
 */
export function timeoutFault(request: RequestInfo, timeout: string): string | undefined {
  if (LONG_VERBS.has(request.verb)) return undefined;
  if (!('path' in request) && LONG_SUBRESOURCES.has(request.subresource)) return undefined;
  const fault = timeout === '' ? undefined : durationFault(timeout);
  return fault && `invalid timeout specified in the request URL - time: ${fault}`;
}

/** Returns why a text is not a duration, such as `1m30s`. (Upstream: `ParseDuration` of Go.) */
function durationFault(text: string): string | undefined {
  const invalid = `invalid duration ${quoted(text)}`;
  let rest = text.replace(/^[-+]/u, '');
  if (rest === '0') return undefined;
  if (rest === '') return invalid;
  let hours = 0;
  while (rest !== '') {
    const [part = '', amount = '', unit = ''] = /^(\d*\.?\d*)([^.\d]*)/u.exec(rest) ?? [];
    if (!/\d/u.test(amount)) return invalid;
    if (unit === '') return `missing unit in duration ${quoted(text)}`;
    if (!UNITS.has(unit)) return `unknown unit ${quoted(unit)} in duration ${quoted(text)}`;
    hours += Number(amount) * (HOURS[unit] ?? 0);
    if (hours >= LONGEST_HOURS) return invalid;
    rest = rest.slice(part.length);
  }
  return undefined;
}

/** Quotes a text as Go's `time` does. */
function quoted(text: string): string {
  const escaped = [...Buffer.from(text)].map((byte) => {
    const character = String.fromCharCode(byte);
    if (character === '"' || character === '\\') return `\\${character}`;
    return byte < 0x20 || byte >= 0x80 ? `\\x${byte.toString(16).padStart(2, '0')}` : character;
  });
  return `"${escaped.join('')}"`;
}
