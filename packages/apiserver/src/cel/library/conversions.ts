import type { Overload } from '../functions.ts';
import { overload } from '../functions.ts';
import { durationText, parseDuration, parseTimestamp, SECOND, timestampText } from '../time.ts';
import type { Duration, Value } from '../values.ts';
import { EvaluationError, Timestamp, typeNameOf, TypeValue, Uint } from '../values.ts';

/** Exponent from which Go writes the shortest form of a double with an exponent. */
const SHORTEST_LIMIT = 6;

function conversionError(from: string, to: string): EvaluationError {
  return new EvaluationError(`type conversion error from '${from}' to '${to}'`);
}

function intFromText(text: string): bigint {
  if (!/^[+-]?\d+$/.test(text) || BigInt(text.replace('+', '')) !== BigInt.asIntN(64, BigInt(text.replace('+', '')))) {
    throw conversionError('string', 'int');
  }
  return BigInt(text.replace('+', ''));
}

function intFromDouble(value: number): bigint {
  if (!Number.isFinite(value) || value <= -(2 ** 63) || value >= 2 ** 63) throw new EvaluationError('integer overflow');
  return BigInt(Math.trunc(value));
}

function uintFromText(text: string): Uint {
  if (!/^\d+$/.test(text) || BigInt(text) >= 1n << 64n) throw conversionError('string', 'uint');
  return new Uint(BigInt(text));
}

function uintOf(value: bigint): Uint {
  if (value < 0n || value >= 1n << 64n) throw new EvaluationError('unsigned integer overflow');
  return new Uint(value);
}

function doubleFromText(text: string): number {
  const value = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$|^[+-]?(?:inf|infinity)$|^nan$/i.test(text)
    ? Number(text.replace(/inf(?:inity)?/i, 'Infinity'))
    : undefined;
  if (value === undefined) throw conversionError('string', 'double');
  return value;
}

/** Formats a double as Go's `strconv.FormatFloat` does with the shortest `g` format. */
export function doubleText(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  const [digits = '', exponent = '0'] = value.toExponential().split('e');
  const power = Number(exponent);
  if (power >= -4 && power < SHORTEST_LIMIT) return value.toString();
  return `${digits}e${power < 0 ? '-' : '+'}${Math.abs(power).toString().padStart(2, '0')}`;
}

function boolFromText(text: string): boolean {
  if (['1', 't', 'T', 'true', 'TRUE', 'True'].includes(text)) return true;
  if (['0', 'f', 'F', 'false', 'FALSE', 'False'].includes(text)) return false;
  throw conversionError('string', 'bool');
}

function textFromBytes(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new EvaluationError('invalid UTF-8 in bytes, cannot convert to string');
  }
}

function required<T>(value: T | undefined, to: string): T {
  if (value === undefined) throw conversionError('string', to);
  return value;
}

const same = <T extends Value>(value: T): T => value;

export const conversions: readonly Overload[] = [
  overload('int64_to_int64 int: (int)->int', same),
  overload('double_to_int64 int: (double)->int', intFromDouble),
  overload('string_to_int64 int: (string)->int', intFromText),
  overload('timestamp_to_int64 int: (timestamp)->int', ({ nanos }: Timestamp) => {
    const rest = ((nanos % SECOND) + SECOND) % SECOND;
    return (nanos - rest) / SECOND;
  }),
  overload('duration_to_int64 int: (duration)->int', ({ nanos }: Duration) => nanos),
  overload('uint64_to_int64 int: (uint)->int', ({ value }: Uint) => {
    if (value >= 1n << 63n) throw new EvaluationError('integer overflow');
    return value;
  }),
  overload('uint64_to_uint64 uint: (uint)->uint', same),
  overload('int64_to_uint64 uint: (int)->uint', uintOf),
  overload('double_to_uint64 uint: (double)->uint', (value: number) => {
    if (!Number.isFinite(value) || value < 0 || value >= 2 ** 64)
      throw new EvaluationError('unsigned integer overflow');
    return new Uint(BigInt(Math.trunc(value)));
  }),
  overload('string_to_uint64 uint: (string)->uint', uintFromText),
  overload('double_to_double double: (double)->double', same),
  overload('int64_to_double double: (int)->double', Number),
  overload('uint64_to_double double: (uint)->double', ({ value }: Uint) => Number(value)),
  overload('string_to_double double: (string)->double', doubleFromText),
  overload('bool_to_bool bool: (bool)->bool', same),
  overload('string_to_bool bool: (string)->bool', boolFromText),
  overload('string_to_string string: (string)->string', same),
  overload('bool_to_string string: (bool)->string', String),
  overload('int64_to_string string: (int)->string', String),
  overload('uint64_to_string string: (uint)->string', ({ value }: Uint) => String(value)),
  overload('double_to_string string: (double)->string', doubleText),
  overload('bytes_to_string string: (bytes)->string', textFromBytes),
  overload('timestamp_to_string string: (timestamp)->string', timestampText),
  overload('duration_to_string string: (duration)->string', durationText),
  overload('bytes_to_bytes bytes: (bytes)->bytes', same),
  overload('string_to_bytes bytes: (string)->bytes', (text: string) => Buffer.from(text)),
  overload('duration_to_duration duration: (duration)->duration', same),
  overload('string_to_duration duration: (string)->duration', (text: string) =>
    required(parseDuration(text), 'google.protobuf.Duration'),
  ),
  overload('timestamp_to_timestamp timestamp: (timestamp)->timestamp', same),
  overload('string_to_timestamp timestamp: (string)->timestamp', (text: string) =>
    required(parseTimestamp(text), 'google.protobuf.Timestamp'),
  ),
  overload('int64_to_timestamp timestamp: (int)->timestamp', (value: bigint) => new Timestamp(value * SECOND)),
  overload('to_dyn dyn: (A)->dyn', same),
  overload('type type: (A)->type(A)', (value: Value) => new TypeValue(typeNameOf(value))),
];
