import { integerOf } from '../schema/exact-integers.ts';
import type { Schema } from '../schema/schema.ts';
import { escapeName, withResourceFields } from './declared-type.ts';
import { parseDuration, parseTimestamp } from './time.ts';
import type { Value } from './values.ts';
import { EvaluationError, keyText, List, MapValue, Timestamp } from './values.ts';

/**
 * Converts JSON to the value of its schema. Fields that the schema does not specify are not visible. (Upstream:
 * `UnstructuredToVal` of `pkg/cel/common/valuesunstructured.go`.)
 *
 * @throws {EvaluationError} if the value does not have the type of the schema.
 */
export function valueOfJson(json: unknown, schema: Schema, isResource: boolean): Value {
  if (json === null || json === undefined) {
    if (schema.nullable) return null;
    throw new EvaluationError('invalid data, got null for schema with nullable=false');
  }
  if (schema['x-kubernetes-int-or-string']) return intOrString(json);
  requireType(json, schema);
  if (Array.isArray(json)) return listOfJson(json, schema);
  if (typeof json === 'object') return objectOfJson(json, isResource ? withResourceFields(schema) : schema);
  return scalarOfJson(json, schema);
}

/** Errors about values of another type than that of the schema. Scalars name the Go type that they have. */
const EXPECTED: Readonly<Record<string, string>> = {
  object: 'a map for the provided schema with type=object',
  array: 'an array for the provided schema with type=array',
  string: 'string, got ',
  number: 'float, got ',
  integer: 'int, got ',
  boolean: 'bool, got ',
};

function requireType(json: unknown, { type }: Schema): void {
  const found = jsonTypeOf(json);
  const isNumber = found === 'number' && (type === 'number' || (type === 'integer' && Number.isInteger(json)));
  const expected = type === undefined || type === found || isNumber ? undefined : EXPECTED[type];
  if (expected === undefined) return;
  throw new EvaluationError(`invalid data, expected ${expected}${expected.endsWith(' ') ? goType(json) : ''}`);
}

function jsonTypeOf(json: unknown): string {
  return Array.isArray(json) ? 'array' : typeof json;
}

/** Returns the Go type of a decoded JSON value. */
function goType(json: unknown): string {
  if (Array.isArray(json)) return '[]interface {}';
  if (typeof json === 'number') return Number.isInteger(json) ? 'int64' : 'float64';
  if (typeof json === 'object') return 'map[string]interface {}';
  return typeof json === 'boolean' ? 'bool' : typeof json;
}

function intOrString(json: unknown): Value {
  if (typeof json === 'string') return json;
  if (typeof json === 'number' && Number.isInteger(json)) return integerOf(json);
  throw new EvaluationError('invalid data, expected XIntOrString value to be either a string or integer');
}

function isEmbedded(schema: Schema): boolean {
  return schema['x-kubernetes-embedded-resource'] === true;
}

function listOfJson(json: readonly unknown[], schema: Schema): List {
  const { items } = schema;
  if (!items) throw new EvaluationError('invalid array type, expected items schema');
  const values = json.map((item) => valueOfJson(item, items, isEmbedded(items)));
  return new List(values, schema['x-kubernetes-list-type'], schema['x-kubernetes-list-map-keys'], { fromJson: true });
}

function objectOfJson(json: object, { properties, additionalProperties }: Schema): MapValue {
  const entries: (readonly [Value, Value])[] = [];
  const faults = new Map<string, EvaluationError>();
  const add = (key: string, child: unknown, schema: Schema): void => {
    let value: Value = null;
    try {
      value = valueOfJson(child, schema, isEmbedded(schema));
    } catch (error) {
      // Upstream converts a value when an expression reads it.
      if (!(error instanceof EvaluationError)) throw error;
      faults.set(keyText(key), error);
    }
    entries.push([key, value]);
  };
  for (const [name, child] of Object.entries(json)) {
    if (properties && Object.hasOwn(properties, name)) {
      const schema = properties[name];
      const escaped = escapeName(name);
      if (!schema || escaped === undefined || !isExposed(schema)) continue;
      // A null in a field counts as absent, also if the schema allows it.
      if (child === null) continue;
      add(escaped, child, schema);
    } else if (!properties && typeof additionalProperties === 'object' && isExposed(additionalProperties)) {
      add(name, child, additionalProperties);
    }
  }
  return new MapValue(entries, properties === undefined ? 'map' : 'object', faults);
}

/** Reports whether expressions can see the values of a schema. */
function isExposed(schema: Schema): boolean {
  if (schema['x-kubernetes-int-or-string']) return true;
  if (schema.type === 'array') return schema.items !== undefined && isExposed(schema.items);
  if (schema.type === 'object' && typeof schema.additionalProperties === 'object') {
    return isExposed(schema.additionalProperties);
  }
  return schema.type !== undefined;
}

function scalarOfJson(json: unknown, { type, format }: Schema): Value {
  if (typeof json === 'boolean') return json;
  if (typeof json === 'number') {
    if (type !== 'integer') return json;
    if (Number.isInteger(json)) return integerOf(json);
  }
  if (typeof json !== 'string') throw new EvaluationError(`unrecognized type: ${typeof json}`);
  switch (format) {
    case 'byte':
      return Buffer.from(json, 'base64');
    case 'duration':
      return required(parseDuration(json), json, 'duration');
    case 'date': {
      const date = parseTimestamp(`${json}T00:00:00Z`);
      return required(date && new Timestamp(date.nanos), json, 'date');
    }
    case 'date-time':
      return required(parseTimestamp(json), json, 'datetime');
    default:
      return json;
  }
}

function required<T>(value: T | undefined, json: string, format: string): T {
  if (value === undefined) throw new EvaluationError(`invalid ${format} ${json}`);
  return value;
}
