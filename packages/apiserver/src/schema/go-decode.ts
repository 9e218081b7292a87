import { parseQuantity, QUANTITY_FORMAT } from '../resources/quantity.ts';
import type { ObjectIdentity } from '../status.ts';
import { badRequest, conversionError } from '../status.ts';
import type { JsonObject } from '../storage/stored-object.ts';
import { builtInTypeName } from './built-in-schema.ts';
import { isQuantity } from './built-in/notation.ts';
import type { Schema } from './schema.ts';
import { fieldSchema } from './schema.ts';

/** Lists that the Go types write even if they are empty. An empty `managedFields` removes all managers. */
const ALWAYS_WRITTEN: ReadonlySet<string> = new Set(['containers', 'rules', 'verbs', 'versions', 'managedFields']);

/** Names of types in the messages of a real server. */
const GO_TYPES: Readonly<Record<string, string>> = { string: 'string', integer: 'int32', boolean: 'bool' };
const JSON_TYPES: Readonly<Record<string, string>> = { boolean: 'bool', object: 'object' };

interface Kind {
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
  // The result has the same fields, or fewer optional ones.
  return decode(kind, { schema: kind.schema, path: '', struct: kind.kind }, object) as T;
}

interface Place {
  readonly schema: Schema;
  readonly path: string;
  /** Go type that contains the field. */
  readonly struct: string;
}

function decode(kind: Kind, { schema, path, struct }: Place, object: object): object {
  const inside = builtInTypeName(schema) ?? struct;
  const kept: [string, unknown][] = [];
  for (const [field, value] of Object.entries(object as JsonObject)) {
    const known = fieldSchema(schema, field);
    // The path of a map's value is the path of the map.
    const isMap = schema.properties === undefined;
    if (value === null) {
      // A value of a map is the empty text; a field is absent.
      if (isMap && known?.type === 'string') kept.push([field, '']);
      continue;
    }
    const place = known && { schema: known, path: isMap ? path : `${path}.${field}`, struct: inside };
    const decoded = place ? decodeValue(kind, place, value) : value;
    if (known && isOmitted(known, field, decoded)) continue;
    kept.push([field, decoded]);
  }
  return Object.fromEntries(kept);
}

function decodeValue(kind: Kind, place: Place, value: unknown): unknown {
  const { type, items } = place.schema;
  if (isQuantity(place.schema) && parseQuantity(value) === undefined) throw noQuantity(kind);
  if (type !== undefined && !fits(type, value)) throw mistyped(kind, place, value);
  if (Array.isArray(value)) {
    return items ? value.map((item: unknown) => decodeValue(kind, { ...place, schema: items }, item)) : value;
  }
  return typeof value === 'object' && value !== null ? decode(kind, place, value) : value;
}

function noQuantity({ kind, version }: Kind): Error {
  return badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${QUANTITY_FORMAT}`);
}

function fits(type: NonNullable<Schema['type']>, value: unknown): boolean {
  switch (type) {
    case 'array':
      return Array.isArray(value);
    case 'object':
      return typeof value === 'object' && !Array.isArray(value);
    case 'integer':
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

/** Reports whether a value is an empty list or map, rather than an empty struct. */
function isOmitted(schema: Schema, field: string, value: unknown): boolean {
  if (typeof value !== 'object' || value === null || ALWAYS_WRITTEN.has(field)) return false;
  const isCollection = schema.type === 'array' || schema.additionalProperties !== undefined;
  return isCollection && Object.keys(value).length === 0;
}

function mistyped({ kind, version }: Kind, { schema, path, struct }: Place, value: unknown): Error {
  const actual = Array.isArray(value) ? 'array' : (JSON_TYPES[typeof value] ?? typeof value);
  const wanted = GO_TYPES[schema.type ?? ''] ?? `v1.${builtInTypeName(schema) ?? schema.type ?? ''}`;
  const what = `json: cannot unmarshal ${actual} into Go struct field ${struct}${path} of type ${wanted}`;
  return badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${what}`);
}

/**
 * Refuses numbers with a fraction in integer fields of an applied object, which has passed the check of its types.
 *
 * @param config the configuration, which the error names.
 * @throws {StatusError} 500, as a real server.
 */
export function requireWholeNumbers(schema: Schema, config: ObjectIdentity, object: object): void {
  if (hasFraction(schema, object)) throw conversionError(config, 'cannot convert float64 to int32');
}

function hasFraction(schema: Schema, value: unknown): boolean {
  if (schema.type === 'integer') return typeof value === 'number' && !Number.isInteger(value);
  if (Array.isArray(value)) {
    const { items } = schema;
    return items !== undefined && value.some((item) => hasFraction(items, item));
  }
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([field, child]) => {
    const known = fieldSchema(schema, field);
    return known !== undefined && hasFraction(known, child);
  });
}
