import { DecodeError } from '../decode-error.ts';
import { timeFault } from '../resources/metadata-types.ts';
import { parseQuantity, QUANTITY_FORMAT } from '../resources/quantity.ts';
import type { JsonObject } from '../storage/stored-object.ts';
import { base64Fault } from './base64.ts';
import type { Paused } from '../turn.ts';
import { complete, Turn } from '../turn.ts';
import { builtInTypeName } from './built-in-schema.ts';
import { decoderFault, MICRO_TIMES, schemaFault } from './decoder-fault.ts';
import { copyEmpty, noteEmpty } from './empty-collections.ts';
import { inexactNumber, withoutNegativeZero } from './exact-integers.ts';
import { goEmpty } from './go-empty.ts';
import { elementType, embeddedStruct, namedType } from './built-in/go-types.ts';
import { isQuantity } from './built-in/notation.ts';
import { integerType, isOutOfRange } from './integer-range.ts';
import { numberText } from './number-texts.ts';
import type { Schema } from './schema.ts';
import { fieldSchema } from './schema.ts';
import { setField } from './set-field.ts';
import type { ZeroValues } from './zero-values.ts';
import { isZero, qualifiedKind, zeroValues } from './zero-values.ts';

/** Lists that are kept even if they are empty, although Go omits them. An empty `managedFields` removes all managers. */
const ALWAYS_WRITTEN: ReadonlySet<string> = new Set([
  'managedFields',
  // An autoscaler has these: an empty list is not replaced by the default, and is refused.
  'policies',
]);

/** Names of types in the messages of a real server. */
const GO_TYPES: Readonly<Record<string, string>> = { string: 'string', number: 'float64', boolean: 'bool' };
const JSON_TYPES: Readonly<Record<string, string>> = { boolean: 'bool', object: 'object' };

/** The type of a field that accepts a schema, or a boolean or a list of schemas. Go has decoders for these. */
const SCHEMA_OR_OTHER = 'JSONSchemaPropsOrOther';

/** The first integer that does not fit into 64 bits. */
const INT64 = 2 ** 63;

interface Kind {
  /** Absent for a kind without a type of its own. */
  readonly group?: string;
  readonly kind: string;
  readonly version: string;
  readonly schema: Schema;
}

/**
 * Returns an object of a built-in kind as a real server decodes it into the Go type: without `null`, and without empty
 * lists and maps.
 *
 * @throws {StatusError} 400 that names the first field with a value of the wrong type.
 */
export function goDecode<T extends object>(kind: Kind, object: T): T {
  return complete(goDecoding(kind, object, new Turn()));
}

/** Like {@link goDecode}, with pauses. */
export function* goDecoding<T extends object>(kind: Kind, object: T, turn: Turn): Paused<T> {
  // The result has the same fields, or fewer optional ones.
  const decoded = yield* decodeFirst(kind, object, turn);
  const { group } = kind;
  const empty =
    group === undefined ? undefined : goEmpty(group === '' ? kind.version : `${group}/${kind.version}`, kind.kind);
  if (group === 'resource.k8s.io' && empty) return withRequests(decoded as JsonObject, empty) as T;
  return (empty ? withStructs(decoded as JsonObject, empty) : decoded) as T;
}

/** Decodes an object. @throws {StatusError} 400 that names the fault that ends Go's decoding, else the first wrong type. */
function* decodeFirst(kind: Kind, object: object, turn: Turn): Paused<object> {
  try {
    return yield* decode({ kind, turn }, { schema: kind.schema, path: '', struct: kind.kind }, object);
  } catch (error) {
    throw firstFaultOf(kind, object) ?? error;
  }
}

/** Returns the error of the first value whose type has a decoder of its own. */
export function firstFaultOf(
  { kind, version, schema }: Pick<Kind, 'kind' | 'version' | 'schema'>,
  object: object,
): Error | undefined {
  const fault = decoderFault(schema, object);
  return fault === undefined ? undefined : new DecodeError({ kind, version }, fault);
}

/** Adds the structs that Go writes even if they are empty. The server sets the status. */
function withStructs(object: JsonObject, empty: JsonObject): JsonObject {
  const missing = Object.entries(empty).filter(
    ([field, value]) =>
      (isStruct(value) || typeof value === 'number') &&
      object[field] === undefined &&
      field !== 'status' &&
      field !== 'metadata',
  );
  const added = missing.map(
    ([field, value]) => [field, isStruct(value) ? withStructs({}, value as JsonObject) : value] as const,
  );
  return added.length === 0 ? object : { ...object, ...Object.fromEntries(added) };
}

/** Adds the structs of claims, and their requests, which Go writes even if there are none. */
function withRequests(object: JsonObject, empty: JsonObject): JsonObject {
  const added = Object.entries(empty).flatMap(([field, value]): (readonly [string, unknown])[] => {
    if (field === 'status' || field === 'metadata') return [];
    const found = object[field];
    if (isStruct(value) && (found === undefined || isStruct(found)))
      return [[field, withRequests((found ?? {}) as JsonObject, value as JsonObject)] as const];
    return value === null && found === undefined ? [[field, null] as const] : [];
  });
  return { ...object, ...Object.fromEntries(added) };
}

function isStruct(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Go types that several types of the tables stand for. */
const GO_NAMES: Readonly<Record<string, string>> = {
  HorizontalPodAutoscalerV1Spec: 'HorizontalPodAutoscalerSpec',
  HorizontalPodAutoscalerV1Status: 'HorizontalPodAutoscalerStatus',
  JSONSchemaPropsOrOther: 'JSONSchemaProps',
  EventsEvent: 'Event',
  DiscoveryEndpoint: 'Endpoint',
  DiscoveryEndpointPort: 'EndpointPort',
};

function goName(name: string | undefined): string | undefined {
  return name === undefined ? undefined : (GO_NAMES[name] ?? name);
}

interface Place {
  readonly schema: Schema;
  readonly path: string;
  /** Go type that contains the field. */
  readonly struct: string;
  /** Go type of the value if it has a name that the schema does not have. */
  readonly named?: string | undefined;
  /** Text of the value in JSON if it is a number that is written in an unusual way. */
  readonly text?: string | undefined;
  /** Go type that errors name instead of `struct`, within a value of a type with a decoder of its own. */
  readonly reported?: string | undefined;
}

/** The kind of an object, and the turn in which it is decoded. */
interface Decoding {
  readonly kind: Kind;
  readonly turn: Turn;
}

function* decode(decoding: Decoding, { schema, path, struct, named, ...outer }: Place, object: object): Paused<object> {
  const { kind, turn } = decoding;
  // The schema of a kind has no name in the tables: it has the fields of every object, too.
  const type = builtInTypeName(schema) ?? (path === '' ? kind.kind : undefined);
  const reported = outer.reported ?? (type === SCHEMA_OR_OTHER ? struct : undefined);
  const inside = reported ?? goName(type) ?? struct;
  const zeros = zeroValues(path === '' ? qualifiedKind(kind) : (type ?? ''));
  const result: Record<string, unknown> = {};
  const omitted: [string, object][] = [];
  for (const field of Object.keys(object)) {
    if (turn.step()) yield* turn.pause();
    const value = (object as JsonObject)[field];
    const known = fieldSchema(schema, field);
    // The path of a map's value is the path of the map.
    const isMap = schema.properties === undefined;
    if (value === null) {
      // A value of a map is the zero value; a field is absent.
      const zero = isMap && known ? zeroValue(known) : null;
      if (zero !== null) setField(result, field, zero);
      continue;
    }
    if (type?.startsWith('JSONSchemaProps') && isNoSchema(kind, field, value)) {
      noteEmpty(result, field, Array.isArray(value) ? value : {});
      continue;
    }
    const place = known && {
      schema: known,
      path: isMap ? path : `${path}.${fieldPath(type, field)}`,
      struct: inside,
      named: isMap ? elementType(named) : namedType(type, field),
      text: numberText(object, field),
      reported,
    };
    const decoded = place ? yield* decodeValue(decoding, place, value) : value;
    if (known && isOmitted(known, field, decoded, zeros)) omitted.push([field, decoded as object]);
    else if (!zeros.omitted.has(field) || !isZero(decoded)) setField(result, field, decoded);
  }
  for (const field of zeros.written) {
    const known = fieldSchema(schema, field);
    if (known && result[field] === undefined) result[field] = zeroValue(known);
  }
  for (const field of zeros.nulls) result[field] ??= null;
  copyEmpty(object, result);
  for (const [field, value] of omitted) noteEmpty(result, field, value);
  return result;
}

function* decodeValue(decoding: Decoding, place: Place, value: unknown): Paused<unknown> {
  const { kind, turn } = decoding;
  const { type, items } = place.schema;
  if (isQuantity(place.schema) && parseQuantity(value) === undefined) throw noQuantity(kind);
  if (isIntOrString(place.schema) && !['number', 'string'].includes(typeof value)) throw mistyped(kind, place, value);
  if (type !== undefined && !fits(type, value)) throw mistyped(kind, place, value);
  if (typeof value === 'number') {
    requireRange(kind, place, value);
    if (type === 'integer') return withoutNegativeZero(value);
  }
  if (place.schema.format === 'date-time' && typeof value === 'string') requireTime(kind, place, value);
  if (place.schema.format === 'byte' && typeof value === 'string') requireBase64(kind, value);
  if (Array.isArray(value)) {
    if (builtInTypeName(place.schema) === SCHEMA_OR_OTHER) return yield* decodeSchemas(decoding, place, value);
    if (!items) return value as unknown[];
    const named = elementType(place.named);
    const decoded: unknown[] = [];
    for (const [index, item] of (value as unknown[]).entries()) {
      if (turn.step()) yield* turn.pause();
      const at = { ...place, schema: items, named, text: numberText(value, String(index)) };
      decoded.push(yield* decodeValue(decoding, at, item ?? zeroValue(items)));
    }
    return decoded;
  }
  if (isRaw(place)) requireFinite(value);
  if (typeof value !== 'object' || value === null || isRaw(place)) return value;
  return yield* decode(decoding, place, value);
}

/** Decodes a list in the place of a schema: of schemas, or of the names that a property depends on. */
function* decodeSchemas(decoding: Decoding, place: Place, list: readonly unknown[]): Paused<unknown[]> {
  const decoded: unknown[] = [];
  for (const item of list) {
    if (place.path.endsWith('.dependencies')) {
      if (typeof item !== 'string') throw mistyped(decoding.kind, { ...place, schema: { type: 'string' } }, item);
      decoded.push(item);
      continue;
    }
    const value = item ?? {};
    if (typeof value !== 'object' || Array.isArray(value)) {
      throw mistyped(decoding.kind, { ...place, named: 'v1.JSONSchemaProps' }, value);
    }
    decoded.push(yield* decode(decoding, place, value));
  }
  return decoded;
}

/** Reports whether Go keeps the bytes of a value. */
function isRaw({ schema }: Place): boolean {
  return schema['x-kubernetes-preserve-unknown-fields'] === true && schema.properties === undefined;
}

/** Refuses a number that a double cannot hold: a real server keeps its text. @throws {StatusError} 501 */
function requireFinite(value: unknown): void {
  if (typeof value === 'number' && !Number.isFinite(value)) throw inexactNumber();
  if (typeof value === 'object' && value !== null) for (const child of Object.values(value)) requireFinite(child);
}

/**
 * Reports whether a value in the place of a schema is none, and counts as absent.
 *
 * @throws {StatusError} 400 for a value that is neither a schema nor a boolean where both are accepted.
 */
function isNoSchema(kind: Kind, field: string, value: unknown): boolean {
  if (field === 'items') return typeof value !== 'object' || (Array.isArray(value) && value.length === 0);
  const fault = schemaFault(field, value);
  if (fault !== undefined) throw new DecodeError(kind, fault);
  return false;
}

/** Returns the name of a field in a path, after that of the embedded struct that has it. */
function fieldPath(struct: string | undefined, field: string): string {
  const embedded = embeddedStruct(struct, field);
  return embedded === undefined ? field : `${embedded}.${field}`;
}

/** Reports whether a value is an integer or a text, and no quantity. */
function isIntOrString(schema: Schema): boolean {
  return schema['x-kubernetes-int-or-string'] === true && !isQuantity(schema);
}

function requireRange(kind: Kind, { schema, path, struct, text }: Place, value: number): void {
  const isInteger = schema.type === 'integer' || isIntOrString(schema);
  // An integer beyond 2^53 is written in full, and is not in the notation of a fraction. A text that a double rounds to the
  // smallest integer is below it.
  const isInteger64 = text === undefined || (/^-?\d+$/u.test(text) && value > -INT64);
  if (!isInteger || (isInteger64 && Number.isInteger(value) && !isOutOfRange(path, value))) return;
  const number = text ?? String(value);
  const wanted = integerType(path);
  const what = `json: cannot unmarshal number ${number} into Go struct field ${struct}${path} of type ${wanted}`;
  throw new DecodeError(kind, what);
}

function requireTime(kind: Kind, { path }: Place, text: string): void {
  const what = timeFault(text, MICRO_TIMES.has(path.slice(path.lastIndexOf('.') + 1)) ? 'micro' : 'any');
  if (what !== undefined) throw new DecodeError(kind, what);
}

function requireBase64(kind: Kind, text: string): void {
  const position = base64Fault(text);
  if (position === undefined) return;
  throw new DecodeError(kind, `illegal base64 data at input byte ${position}`);
}

/** Value that Go decodes `null` to in a list or map: a struct without fields, or the zero value of a scalar. */
function zeroValue(schema: Schema): unknown {
  const { type, properties, additionalProperties } = schema;
  if (isQuantity(schema)) return '0';
  switch (type) {
    case 'string':
      return '';
    case 'integer':
    case 'number':
      return 0;
    case 'boolean':
      return false;
    case 'array':
      return [];
    case 'object':
      // An object of any form stays null.
      return properties || additionalProperties ? {} : null;
    default:
      if (properties) return {};
      return schema['x-kubernetes-int-or-string'] ? 0 : null;
  }
}

function noQuantity(kind: Kind): Error {
  return new DecodeError(kind, QUANTITY_FORMAT);
}

function fits(type: NonNullable<Schema['type']>, value: unknown): boolean {
  switch (type) {
    case 'array':
      return Array.isArray(value);
    case 'object':
      return typeof value === 'object' && !Array.isArray(value);
    case 'integer':
      return Number.isInteger(value) && (value as number) >= -INT64 && (value as number) < INT64;
    default:
      return typeof value === type;
  }
}

/** Reports whether a value is an empty list or map that Go omits, rather than an empty struct. */
function isOmitted(schema: Schema, field: string, value: unknown, { lists }: ZeroValues): boolean {
  if (typeof value !== 'object' || value === null || ALWAYS_WRITTEN.has(field) || lists.has(field)) return false;
  const isCollection = schema.type === 'array' || schema.additionalProperties !== undefined;
  return isCollection && Object.keys(value).length === 0;
}

/** Types of other packages, which are `v1` in every version of a kind. */
const V1_TYPES: ReadonlySet<string> = new Set([
  ...[
    'ObjectMeta',
    'LabelSelector',
    'PodTemplateSpec',
    'ObjectReference',
    'LocalObjectReference',
    'ResourceRequirements',
  ],
]);

/** Returns the name of a Go type. @param version version of the kind, which is the package of its own types. */
function goTypeName(schema: Schema, version: string, path: string): string {
  const { type = '', items, additionalProperties, format } = schema;
  if (format === 'byte') return '[]uint8';
  const name = goName(builtInTypeName(schema));
  if (name !== undefined) return `${V1_TYPES.has(name) ? 'v1' : version}.${name}`;
  if (type === 'array') return `[]${items ? goTypeName(items, version, path) : 'interface {}'}`;
  if (type === 'object' && additionalProperties)
    return `map[string]${goTypeName(additionalProperties as Schema, version, path)}`;
  if (type === 'integer') return integerType(path);
  return GO_TYPES[type] ?? `v1.${type}`;
}

function mistyped(kind: Kind, { schema, path, struct, named, text }: Place, value: unknown): Error {
  // The text of a number says why it does not fit an integer.
  const number = typeof value === 'number' && schema.type === 'integer' ? `number ${text ?? String(value)}` : undefined;
  const actual = number ?? (Array.isArray(value) ? 'array' : (JSON_TYPES[typeof value] ?? typeof value));
  const wanted = isIntOrString(schema) ? 'int32' : (named ?? goTypeName(schema, kind.version, path));
  const what = `json: cannot unmarshal ${actual} into Go struct field ${struct}${path} of type ${wanted}`;
  return new DecodeError(kind, what);
}
