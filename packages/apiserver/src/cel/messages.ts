import type { CelType } from './types.ts';
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  STRING,
  TIMESTAMP,
  typeText,
  UINT,
  wrapperOf,
} from './types.ts';
import { durationText, SECOND, timestampText } from './time.ts';
import type { Value } from './values.ts';
import { Duration, EvaluationError, List, MapValue, Timestamp, typeNameOf, Uint } from './values.ts';

/** Values of the fields of a message that an expression sets, by name. */
export type MessageFields = ReadonlyMap<string, Value>;

/** A message that an expression can create. */
export interface Message {
  readonly fields: Readonly<Record<string, CelType>>;
  /** Type of the value that the message is converted to. */
  readonly type: CelType;
  /** @throws {EvaluationError} if a value does not fit the type of its field. */
  readonly create: (fields: MessageFields) => Value;
}

function wrapper(type: CelType, zero: Value, convert: (value: Value) => Value = (value) => value): Message {
  const create = (fields: MessageFields): Value => convert(fields.get('value') ?? zero);
  return { fields: { value: type }, type: wrapperOf(type), create };
}

function instant(name: string, type: CelType, make: (nanos: bigint) => Value): Message {
  const create = (fields: MessageFields): Value => {
    const seconds = integerOf(fields.get('seconds'));
    return make(BigInt.asIntN(64, seconds * SECOND + int32(`${name}.nanos`, fields.get('nanos'))));
  };
  return { fields: { seconds: INT, nanos: INT }, type, create };
}

function integerOf(value: Value | undefined): bigint {
  return typeof value === 'bigint' ? value : 0n;
}

function int32(field: string, value: Value | undefined): bigint {
  const integer = integerOf(value);
  if (BigInt.asIntN(32, integer) !== integer) throw unconverted(field, 'integer overflow');
  return integer;
}

function uint32(field: string, value: Value): Value {
  const isOver = value instanceof Uint && BigInt.asUintN(32, value.value) !== value.value;
  if (isOver) throw unconverted(field, 'unsigned integer overflow');
  return value;
}

function unconverted(field: string, why: string): EvaluationError {
  return new EvaluationError(`field type conversion error for google.protobuf.${field} value type: ${why}`);
}

/** Returns a value as JSON has it, where all numbers are doubles. */
function jsonOf(field: string, value: Value): Value {
  if (typeof value === 'bigint') return doubleOrText(value);
  if (value instanceof Uint) return doubleOrText(value.value);
  if (value instanceof List) return new List(value.items.map((item) => jsonOf(field, item)));
  if (value instanceof MapValue) {
    return new MapValue([...value.entries.values()].map(([key, item]) => [key, jsonOf(field, item)]));
  }
  if (value instanceof Duration) return durationText(value);
  if (value instanceof Timestamp) return timestampText(value);
  if (value === null || typeof value !== 'object') return value;
  const name = typeNameOf(value).replace(/^kubernetes\./u, '');
  throw unconverted(field, `type conversion error from '${name}' to '*structpb.Value'`);
}

/** Integers that a double does not hold become texts. */
function doubleOrText(integer: bigint): Value {
  const double = Number(integer);
  return Number.isSafeInteger(double) ? double : String(integer);
}

const VALUE_FIELDS = {
  null_value: INT,
  number_value: DOUBLE,
  string_value: STRING,
  bool_value: BOOL,
  struct_value: mapOf(STRING, DYN),
  list_value: listOf(DYN),
};

function anyValue(fields: MessageFields): Value {
  const [field, value] = [...fields].at(-1) ?? ['null_value', null];
  return field === 'null_value' ? null : jsonOf(`Value.${field}`, value);
}

/** The well-known types of protobuf, by name. (Upstream: the registry of cel-go.) */
const MESSAGES: Readonly<Record<string, Message>> = {
  'google.protobuf.BoolValue': wrapper(BOOL, false),
  'google.protobuf.BytesValue': wrapper(BYTES, new Uint8Array()),
  'google.protobuf.DoubleValue': wrapper(DOUBLE, 0),
  'google.protobuf.FloatValue': wrapper(DOUBLE, 0, (value) => Math.fround(value as number)),
  'google.protobuf.Int32Value': wrapper(INT, 0n, (value) => int32('Int32Value.value', value)),
  'google.protobuf.Int64Value': wrapper(INT, 0n),
  'google.protobuf.StringValue': wrapper(STRING, ''),
  'google.protobuf.UInt32Value': wrapper(UINT, new Uint(0n), (value) => uint32('UInt32Value.value', value)),
  'google.protobuf.UInt64Value': wrapper(UINT, new Uint(0n)),
  'google.protobuf.Duration': instant('Duration', DURATION, (nanos) => new Duration(nanos)),
  'google.protobuf.Timestamp': instant('Timestamp', TIMESTAMP, (nanos) => new Timestamp(nanos)),
  'google.protobuf.Value': { fields: VALUE_FIELDS, type: DYN, create: anyValue },
  'google.protobuf.Struct': {
    fields: { fields: mapOf(STRING, DYN) },
    type: mapOf(STRING, DYN),
    create: (fields) => jsonOf('Struct.fields', fields.get('fields') ?? new MapValue([])),
  },
  'google.protobuf.ListValue': {
    fields: { values: listOf(DYN) },
    type: listOf(DYN),
    create: (fields) => jsonOf('ListValue.values', fields.get('values') ?? new List([])),
  },
};

/** Returns a message by its name, which may begin with a dot. */
export function messageOf(name: string): Message | undefined {
  const known = name.replace(/^\./u, '');
  return Object.hasOwn(MESSAGES, known) ? MESSAGES[known] : undefined;
}

/** Types that have a name like a message, and no fields. */
const SCALARS: ReadonlySet<string> = new Set(
  'bool bytes double duration int list map null_type string timestamp uint'.split(' '),
);

/** Returns the error of a field of something that is not a message. */
export function fieldFault(name: string, field: string): string {
  return SCALARS.has(name) ? `undefined field '${field}'` : `unexpected failed resolution of '${name}'`;
}

/** Returns the error of a value that does not fit the type of its field. */
export function mistypedField(field: string, wanted: string, found: CelType): string {
  const type = found.kind === 'null' ? 'null' : typeText(found);
  return `expected type of field '${field}' is '${wanted}' but provided type is '${type}'`;
}
