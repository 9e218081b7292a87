import { inexactInteger } from '../schema/exact-integers.ts';
import type { ScalarType } from './messages.ts';
import type { BackwardWriter } from './wire.ts';
import { BYTES, FIXED64, VARINT, WireError, WireReader } from './wire.ts';

/** Wire type of the values of a scalar type. The types of Kubernetes are messages. */
export function wireTypeOf(type: ScalarType): number {
  switch (type) {
    case 'b':
    case 'i':
    case 'l':
      return VARINT;
    case 'd':
      return FIXED64;
    default:
      return BYTES;
  }
}

/** Returns the JSON of a value that arrived as a number. @throws {StatusError} 501 for an integer that was rounded. */
export function scalarOfNumber(type: ScalarType, value: number): unknown {
  switch (type) {
    case 'b':
      return value !== 0;
    case 'i':
      return value | 0;
    case 'l':
      if (!Number.isSafeInteger(value)) throw inexactInteger(`near ${value}`);
      return value;
    default:
      return value;
  }
}

/** Returns the JSON of a value that arrived as bytes. @throws {WireError} */
export function scalarOfBytes(type: ScalarType, value: Buffer): unknown {
  switch (type) {
    case 's':
      return value.toString();
    case 'y':
      return value.toString('base64');
    case 'Q':
      return (lastOf(value, 1, 'Quantity') as Buffer | undefined)?.toString() ?? '0';
    case 'I': {
      if (lastOf(value, 1, 'IntOrString') !== 1) return ((lastOf(value, 2, 'IntOrString') ?? 0) as number) | 0;
      return (lastOf(value, 3, 'IntOrString') as Buffer | undefined)?.toString() ?? '';
    }
    case 'R':
      return jsonOf(lastOf(value, 1, 'RawExtension') as Buffer | undefined);
    case 'T':
      return value.length === 0 ? null : timeOf(value, 0);
    case 'M':
      return value.length === 0 ? null : timeOf(value, 6);
    default:
      throw new WireError(`proto: wrong wireType = ${BYTES} for a number`);
  }
}

/** JSON of the zero value of a type, which Go writes for a field that is not a pointer. */
export function zeroOf(type: ScalarType): unknown {
  switch (type) {
    case 's':
      return '';
    case 'b':
      return false;
    case 'Q':
      return '0';
    case 'y':
    case 'R':
    case 'T':
    case 'M':
      return null;
    default:
      return 0;
  }
}

const NUMBERS = new Set(['Quantity 1', 'IntOrString 3', 'RawExtension 1']);

/** Returns the last value of a field. @throws {WireError} if it is not of its type. */
function lastOf(bytes: Buffer, number: number, message: string): number | Buffer | undefined {
  const wireType = NUMBERS.has(`${message} ${number}`) ? BYTES : VARINT;
  let value: number | Buffer | undefined;
  const reader = new WireReader(bytes, message);
  for (let field = reader.next(); field; field = reader.next()) {
    if (field.number !== number) continue;
    if (field.wireType !== wireType)
      throw new WireError(`proto: wrong wireType = ${field.wireType} for field ${number}`);
    value = field.value;
  }
  return value;
}

function jsonOf(bytes: Buffer | undefined): unknown {
  if (!bytes || bytes.length === 0) return null;
  try {
    return JSON.parse(bytes.toString()) as unknown;
  } catch (error) {
    throw new WireError(error instanceof Error ? error.message : String(error));
  }
}

/** Limits of the years that JSON can contain, 0 to 9999, in seconds since 1970. */
const FIRST_SECOND = Date.parse('0000-01-01T00:00:00Z') / 1000;
const LAST_SECOND = Date.parse('9999-12-31T23:59:59Z') / 1000;

/** Go's zero time, which is `null` in JSON and an empty message in protobuf. */
const ZERO_SECOND = Date.parse('0001-01-01T00:00:00Z') / 1000;

/** Returns RFC 3339 with a number of digits after the second. */
function timeOf(bytes: Buffer, digits: number): string | null {
  const seconds = (lastOf(bytes, 1, 'Timestamp') ?? 0) as number;
  if (seconds < FIRST_SECOND || seconds > LAST_SECOND)
    throw new WireError('Time.MarshalJSON: year outside of range [0,9999]');
  if (seconds === ZERO_SECOND) return null;
  const text = new Date(seconds * 1000).toISOString().slice(0, 19);
  if (digits === 0) return `${text}Z`;
  const nanos = (lastOf(bytes, 2, 'Timestamp') ?? 0) as number;
  return `${text}.${String(Math.floor(nanos / 1000)).padStart(digits, '0')}Z`;
}

/** Writes a value of JSON. A value of another type is written as zero. */
export function writeScalar(writer: BackwardWriter, type: ScalarType, value: unknown): void {
  switch (type) {
    case 's':
      writer.string(typeof value === 'string' ? value : '');
      break;
    case 'y':
      writer.bytes(Buffer.from(typeof value === 'string' ? value : '', 'base64'));
      break;
    case 'b':
      writer.varint(value === true ? 1 : 0);
      break;
    case 'i':
    case 'l':
      writer.varint(integerOf(value));
      break;
    case 'd':
      writer.double(typeof value === 'number' ? value : 0);
      break;
    case 'Q':
      writeString(writer, 1, typeof value === 'number' || typeof value === 'string' ? String(value) : '0');
      break;
    case 'I':
      writeString(writer, 3, typeof value === 'string' ? value : '');
      writeNumber(writer, 2, integerOf(value));
      writeNumber(writer, 1, typeof value === 'string' ? 1 : 0);
      break;
    case 'R':
      if (value !== null && value !== undefined) writeString(writer, 1, JSON.stringify(value));
      break;
    case 'T':
    case 'M':
      writeTime(writer, value, type === 'M');
      break;
  }
}

function integerOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? Math.trunc(value) : 0;
}

function writeString(writer: BackwardWriter, number: number, text: string): void {
  const before = writer.length;
  writer.string(text);
  writer.varint(writer.length - before);
  writer.tag(number, BYTES);
}

function writeNumber(writer: BackwardWriter, number: number, value: number): void {
  writer.varint(value);
  writer.tag(number, VARINT);
}

function writeTime(writer: BackwardWriter, value: unknown, micro: boolean): void {
  if (typeof value !== 'string') return;
  const milliseconds = Date.parse(value);
  if (Number.isNaN(milliseconds) || milliseconds === ZERO_SECOND * 1000) return;
  const [, fraction = ''] = /\.(\d+)/.exec(value) ?? [];
  writeNumber(writer, 2, micro ? Number(fraction.padEnd(6, '0').slice(0, 6)) * 1000 : 0);
  writeNumber(writer, 1, Math.floor(milliseconds / 1000));
}
