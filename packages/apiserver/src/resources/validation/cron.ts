import type { FieldError } from '../../status.ts';
import { invalidField } from '../../status.ts';
import { isEmpty } from './rules.ts';
import { scalarText } from '../resource-type.ts';
import { isTimeZone } from './time-zones.ts';

interface Bounds {
  readonly low: number;
  readonly high: number;
  readonly names: readonly string[];
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

const BOUNDS: readonly Bounds[] = [
  { low: 0, high: 59, names: [] },
  { low: 0, high: 23, names: [] },
  { low: 1, high: 31, names: [] },
  { low: 1, high: 12, names: MONTHS },
  { low: 0, high: 6, names: DAYS },
];

const DESCRIPTORS = ['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly'];

/** Validates a schedule in the format of cron (upstream: `robfig/cron`). */
export function cronErrors(field: string, schedule: unknown): FieldError[] {
  if (isEmpty(schedule)) return [];
  const text = scalarText(schedule);
  const why = text.includes('TZ')
    ? 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead'
    : scheduleError(text);
  return why === undefined ? [] : [invalidField(field, schedule, why)];
}

const EVERY = '@every ';

function scheduleError(text: string): string | undefined {
  if (text.startsWith('@')) {
    if (DESCRIPTORS.includes(text)) return undefined;
    if (!text.startsWith(EVERY)) return `unrecognized descriptor: ${text}`;
    const why = durationError(text.slice(EVERY.length));
    return why === undefined ? undefined : `failed to parse duration ${text}: ${why}`;
  }
  const fields = text.split(/\s+/u).filter((part) => part !== '');
  if (fields.length !== BOUNDS.length) {
    return `expected exactly 5 fields, found ${fields.length}: [${fields.join(' ')}]`;
  }
  for (const [index, bounds] of BOUNDS.entries()) {
    for (const part of (fields[index] ?? '').split(',')) {
      const why = part === '' ? undefined : partError(part, bounds);
      if (why !== undefined) return why;
    }
  }
  return undefined;
}

const UNITS = ['ns', 'us', '\u00b5s', '\u03bcs', 'ms', 's', 'm', 'h'];

/** Returns why a text is not a duration of Go (upstream: `time.ParseDuration`). */
function durationError(text: string): string | undefined {
  const quoted = JSON.stringify(text);
  let rest = text.replace(/^[-+]/u, '');
  if (rest === '0') return undefined;
  if (rest === '') return `time: invalid duration ${quoted}`;
  while (rest !== '') {
    const { unit, tail = '' } = /^(?:\d+\.?\d*|\.\d+)(?<unit>[^.0-9]*)(?<tail>[^]*)$/u.exec(rest)?.groups ?? {};
    if (unit === undefined) return `time: invalid duration ${quoted}`;
    if (unit === '') return `time: missing unit in duration ${quoted}`;
    if (!UNITS.includes(unit)) return `time: unknown unit ${JSON.stringify(unit)} in duration ${quoted}`;
    rest = tail;
  }
  return undefined;
}

/** The text is not a number that the format allows. */
class NumberError extends Error {}

function wholeNumber(text: string): number {
  if (/^[-+]?\d+$/u.test(text)) return Number(text);
  throw new NumberError(
    `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`,
  );
}

function partError(part: string, bounds: Bounds): string | undefined {
  try {
    return rangeError(part, bounds);
  } catch (error) {
    if (error instanceof NumberError) return error.message;
    throw error;
  }
}

/** @throws {NumberError} */
function rangeError(part: string, { low, high, names }: Bounds): string | undefined {
  const [range = '', step, ...more] = part.split('/');
  const [first = '', last, ...others] = range.split('-');
  const numberOf = (text: string): number => {
    const name = names.indexOf(text.toLowerCase());
    return name >= 0 ? name + low : wholeNumber(text);
  };
  let [start, end] = [low, high];
  if (first !== '*' && first !== '?') {
    start = numberOf(first);
    if (others.length > 0) return `too many hyphens: ${part}`;
    end = last === undefined ? start : numberOf(last);
  }
  if (more.length > 0) return `too many slashes: ${part}`;
  const width = step === undefined ? 1 : wholeNumber(step);
  if (step !== undefined && last === undefined) end = high;
  if (width < 0) return `negative number (${width}) not allowed: ${step ?? ''}`;
  if (start < low) return `beginning of range (${start}) below minimum (${low}): ${part}`;
  if (end > high) return `end of range (${end}) above maximum (${high}): ${part}`;
  if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${part}`;
  return width === 0 ? `step of range should be a positive number: ${part}` : undefined;
}

/** Validates the name of a time zone. */
export function timeZoneErrors(field: string, zone: unknown): FieldError[] {
  if (zone === undefined) return [];
  const name = scalarText(zone);
  if (name === '') return [invalidField(field, name, 'timeZone must be nil or non-empty string')];
  const explicit = 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones';
  return [
    ...(name.toLowerCase() === 'local' ? [invalidField(field, name, explicit)] : []),
    ...(name === 'Local' || isTimeZone(name) ? [] : [invalidField(field, name, `unknown time zone ${name}`)]),
  ];
}
