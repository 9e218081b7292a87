import type { Overload } from '../functions.ts';
import { overload } from '../functions.ts';
import { zonedDate } from '../time.ts';
import type { Duration, Timestamp } from '../values.ts';

const DAY = 86_400_000;

function dayOfYear(date: Date): number {
  return Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / DAY);
}

const FIELDS: Readonly<Record<string, (date: Date) => number>> = {
  getFullYear: (date) => date.getUTCFullYear(),
  getMonth: (date) => date.getUTCMonth(),
  getDayOfYear: dayOfYear,
  getDayOfMonth: (date) => date.getUTCDate() - 1,
  getDate: (date) => date.getUTCDate(),
  getDayOfWeek: (date) => date.getUTCDay(),
  getHours: (date) => date.getUTCHours(),
  getMinutes: (date) => date.getUTCMinutes(),
  getSeconds: (date) => date.getUTCSeconds(),
  getMilliseconds: (date) => date.getUTCMilliseconds(),
};

/** Units of a duration in nanoseconds. Its milliseconds are those within a second. */
const UNITS: Readonly<Record<string, bigint>> = {
  getHours: 3_600_000_000_000n,
  getMinutes: 60_000_000_000n,
  getSeconds: 1_000_000_000n,
};

export const timeFunctions: readonly Overload[] = [
  ...Object.entries(FIELDS).flatMap(([name, field]) => {
    const inZone = (time: Timestamp, zone: string): bigint => BigInt(field(zonedDate(time, zone)));
    return [
      overload(`timestamp_${name} ${name}: timestamp.()->int`, (time: Timestamp) => inZone(time, '00:00')),
      overload(`timestamp_${name}_with_tz ${name}: timestamp.(string)->int`, inZone),
    ];
  }),
  ...Object.entries(UNITS).map(([name, unit]) =>
    overload(`duration_${name} ${name}: duration.()->int`, ({ nanos }: Duration) => nanos / unit),
  ),
  overload('duration_getMilliseconds getMilliseconds: duration.()->int', ({ nanos }: Duration) => nanos / 1_000_000n),
];
