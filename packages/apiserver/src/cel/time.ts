import { Duration, EvaluationError, Timestamp } from './values.ts';

const UNITS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1000n,
  µs: 1000n,
  μs: 1000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};

export const SECOND = 1_000_000_000n;
const MAX_DURATION = (1n << 63n) - 1n;

/** Parses a duration as Go does: `1h30m`, `-1.5s`. Returns `undefined` if it is invalid. */
export function parseDuration(text: string): Duration | undefined {
  const [, sign, body = ''] = /^([+-]?)(.*)$/s.exec(text) ?? [];
  if (body === '0') return new Duration(0n);
  if (!/^(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|\u03bcs|ms|s|m|h))+$/.test(body)) return undefined;
  let nanos = 0n;
  for (const [, whole = '', fraction = '', unit = ''] of body.matchAll(/(\d*)\.?(\d*)(ns|us|µs|\u03bcs|ms|s|m|h)/g)) {
    const scale = UNITS[unit] ?? 0n;
    nanos += BigInt(whole === '' ? 0 : whole) * scale;
    if (fraction !== '') nanos += (BigInt(fraction) * scale) / 10n ** BigInt(fraction.length);
  }
  if (nanos > MAX_DURATION) return undefined;
  return new Duration(sign === '-' ? -nanos : nanos);
}

/** Formats a duration as CEL does: in seconds. */
export function durationText({ nanos }: Duration): string {
  const negative = nanos < 0n;
  const size = negative ? -nanos : nanos;
  const fraction = (size % SECOND).toString().padStart(9, '0').replace(/0+$/, '');
  return `${negative ? '-' : ''}${size / SECOND}${fraction && `.${fraction}`}s`;
}

const RFC_3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:[.,](\d+))?([Zz]|[+-]\d\d:\d\d)$/;

/** Parses a time of RFC 3339. Returns `undefined` if it is invalid. */
export function parseTimestamp(text: string): Timestamp | undefined {
  const [, year, month, day, hour, minute, second, fraction = '', zone = ''] = RFC_3339.exec(text) ?? [];
  if (year === undefined) return undefined;
  const iso = `${year}-${month}-${day}T${hour}:${minute}:${second}`;
  const milliseconds = Date.parse(`${iso}Z`);
  if (Number.isNaN(milliseconds) || new Date(milliseconds).toISOString().slice(0, 19) !== iso) return undefined;
  const [, sign, hours = '0', minutes = '0'] = /^([+-])(\d\d):(\d\d)$/.exec(zone) ?? [];
  const offset = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1);
  const nanos = BigInt(fraction.padEnd(9, '0').slice(0, 9));
  return new Timestamp(BigInt(milliseconds) * 1_000_000n - BigInt(offset) * 60n * SECOND + nanos, offset);
}

const EARLIEST = -62_135_596_800_000_000_000n;
const LATEST = 253_402_300_799_999_999_999n;

/** Reports whether a time is within the years 1 to 9999. @param nanos nanoseconds since 1970. */
export function isTimestamp(nanos: bigint): boolean {
  return nanos >= EARLIEST && nanos <= LATEST;
}

/** Formats a time as RFC 3339, in the time zone in which it was written. */
export function timestampText({ nanos, offset }: Timestamp): string {
  const fraction = ((nanos % SECOND) + SECOND) % SECOND;
  const seconds = (nanos - fraction) / SECOND + BigInt(offset) * 60n;
  const digits = fraction.toString().padStart(9, '0').replace(/0+$/, '');
  const local = new Date(Number(seconds) * 1000).toISOString().slice(0, 19);
  return `${local}${digits && `.${digits}`}${offsetText(offset)}`;
}

function offsetText(offset: number): string {
  if (offset === 0) return 'Z';
  const minutes = Math.abs(offset);
  const [hour, minute] = [Math.trunc(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0'));
  return `${offset < 0 ? '-' : '+'}${hour}:${minute}`;
}

/** Returns a time as a date whose UTC fields are those of the time zone. @throws {EvaluationError} */
export function zonedDate({ nanos }: Timestamp, zone: string): Date {
  const milliseconds = Number(nanos / 1_000_000n - (nanos % 1_000_000n < 0n ? 1n : 0n));
  const [, sign, hours, minutes] = /^([+-]?)(\d\d?):(\d\d)$/.exec(zone) ?? [];
  if (hours !== undefined) {
    const offset = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1);
    return new Date(milliseconds + offset * 60_000);
  }
  try {
    const parts = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    }).formatToParts(new Date(milliseconds));
    const part = (type: string): number => Number(parts.find((one) => one.type === type)?.value ?? 0);
    const local = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
    return new Date(local + (((milliseconds % 1000) + 1000) % 1000));
  } catch {
    throw new EvaluationError(`unknown time zone ${zone}`);
  }
}
