import type { FieldError } from '../../status.ts';
import { invalidField } from '../../status.ts';
import { isEmpty } from './rules.ts';
import { scalarText } from '../resource-type.ts';

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

function scheduleError(text: string): string | undefined {
  if (text.startsWith('@')) {
    const isKnown = DESCRIPTORS.includes(text) || /^@every \d/u.test(text);
    return isKnown ? undefined : `unrecognized descriptor: ${text}`;
  }
  const fields = text.split(/\s+/u).filter((part) => part !== '');
  if (fields.length !== BOUNDS.length) {
    return `expected exactly 5 fields, found ${fields.length}: [${fields.join(' ')}]`;
  }
  for (const [index, bounds] of BOUNDS.entries()) {
    for (const part of (fields[index] ?? '').split(',')) {
      const why = partError(part, bounds);
      if (why !== undefined) return why;
    }
  }
  return undefined;
}

function partError(part: string, { low, high, names }: Bounds): string | undefined {
  const [range = '', step, ...more] = part.split('/');
  if (more.length > 0) return `too many slashes: ${part}`;
  const [first = '', last, ...others] = range.split('-');
  if (others.length > 0) return `too many hyphens: ${part}`;
  const numberOf = (text: string): number => {
    const name = names.indexOf(text.toLowerCase());
    if (name >= 0) return name + low;
    return /^\d+$/u.test(text) ? Number(text) : NaN;
  };
  const isAny = first === '*' || first === '?';
  const start = isAny ? low : numberOf(first);
  if (Number.isNaN(start))
    return `failed to parse int from ${first}: strconv.Atoi: parsing ${JSON.stringify(first)}: invalid syntax`;
  const single = isAny || step !== undefined ? high : start;
  const end = last === undefined ? single : numberOf(last);
  if (Number.isNaN(end))
    return `failed to parse int from ${last ?? ''}: strconv.Atoi: parsing ${JSON.stringify(last)}: invalid syntax`;
  if (step !== undefined && !/^\d+$/u.test(step)) {
    return `failed to parse int from ${step}: strconv.Atoi: parsing ${JSON.stringify(step)}: invalid syntax`;
  }
  if (start < low) return `beginning of range (${start}) below minimum (${low}): ${part}`;
  if (end > high) return `end of range (${end}) above maximum (${high}): ${part}`;
  if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${part}`;
  return step !== undefined && Number(step) === 0 ? `step of range should be a positive number: ${part}` : undefined;
}

/** Validates the name of a time zone. */
export function timeZoneErrors(field: string, zone: unknown): FieldError[] {
  if (zone === undefined) return [];
  const name = scalarText(zone);
  if (name === '') return [invalidField(field, name, 'timeZone must be nil or non-empty string')];
  if (name.toLowerCase() === 'local') {
    return [
      invalidField(field, name, 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones'),
    ];
  }
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return [];
  } catch {
    return [invalidField(field, name, `unknown time zone ${name}`)];
  }
}
