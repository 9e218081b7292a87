import type { Schema } from '../schema/schema.ts';
import type { CelType } from './types.ts';
import { BOOL, BYTES, DOUBLE, DURATION, DYN, INT, STRING, TIMESTAMP } from './types.ts';

/** Largest request body in bytes, from which sizes without a limit are derived. */
export const REQUEST_LIMIT = 3 * 1024 * 1024;

const RESERVED: ReadonlySet<string> = new Set(
  (
    'true false null in as break const continue else for function if import let loop package namespace return var ' +
    'void while'
  ).split(' '),
);

const ESCAPES: Readonly<Record<string, string>> = {
  __: '__underscores__',
  '.': '__dot__',
  '-': '__dash__',
  '/': '__slash__',
};

/** Returns the name of a property in expressions; `undefined` if it has none. */
export function escapeName(name: string): string | undefined {
  if (RESERVED.has(name)) return `__${name}__`;
  if (!/^[A-Za-z_][A-Za-z0-9_./-]*$/.test(name)) return undefined;
  return name.replaceAll(/__|[./-]/g, (text) => ESCAPES[text] ?? text);
}

let names = 0;

/**
 * Returns the type of the values of a schema in expressions; `undefined` if they have none. (Upstream:
 * `pkg/cel/common/schemas.go` of k8s.io/apiserver.)
 */
export function declaredType(schema: Schema, isResource: boolean): CelType | undefined {
  names += 1;
  return typeOfSchema(schema, isResource, `selfType${names}`);
}

function typeOfSchema(schema: Schema, isResource: boolean, name: string): CelType | undefined {
  if (schema['x-kubernetes-int-or-string']) {
    const maxElements = schema.maxLength === undefined ? REQUEST_LIMIT - 2 : schema.maxLength * 4;
    return { ...DYN, maxElements, minSize: 1 };
  }
  const whole = isResource ? withResourceFields(schema) : schema;
  switch (whole.type) {
    case 'array':
      return listType(whole, name);
    case 'object':
      return typeof whole.additionalProperties === 'object'
        ? mapType(whole, whole.additionalProperties, name)
        : objectType(whole, name);
    case 'string':
      return textType(whole);
    case 'boolean':
      return { ...BOOL, minSize: 4 };
    case 'number':
      return { ...DOUBLE, minSize: 1 };
    case 'integer':
      return { ...INT, minSize: 1 };
    default:
      return undefined;
  }
}

/** Every object has these fields, whether or not its schema has them. */
export function withResourceFields(schema: Schema): Schema {
  const text: Schema = { type: 'string' };
  const metadata: Schema = { type: 'object', properties: { name: text, generateName: text } };
  const { properties = {} } = schema;
  const known = properties['metadata']?.properties;
  if (
    properties['kind']?.type === 'string' &&
    properties['apiVersion']?.type === 'string' &&
    known?.['name']?.type === 'string' &&
    known['generateName']?.type === 'string'
  ) {
    return schema;
  }
  return { ...schema, properties: { ...properties, kind: text, apiVersion: text, metadata } };
}

function isEmbedded(schema: Schema): boolean {
  return schema['x-kubernetes-embedded-resource'] === true;
}

function listType({ items, maxItems }: Schema, name: string): CelType | undefined {
  const element = items && typeOfSchema(items, isEmbedded(items), `${name}.@idx`);
  if (!element) return undefined;
  const most = Math.floor((REQUEST_LIMIT - 2) / ((element.minSize ?? 0) + 1));
  return { kind: 'list', name: 'list', params: [element], maxElements: maxItems ?? most, minSize: 2 };
}

function mapType({ maxProperties }: Schema, values: Schema, name: string): CelType | undefined {
  const value = typeOfSchema(values, isEmbedded(values), `${name}.@elem`);
  if (!value) return undefined;
  const most = Math.floor((REQUEST_LIMIT - 2) / ((value.minSize ?? 0) + 6));
  return { kind: 'map', name: 'map', params: [STRING, value], maxElements: maxProperties ?? most, minSize: 2 };
}

function objectType({ properties = {}, required = [] }: Schema, name: string): CelType {
  const fields = new Map<string, CelType>();
  let minSize = 2;
  for (const [property, schema] of Object.entries(properties)) {
    const escaped = escapeName(property);
    const type = typeOfSchema(schema, isEmbedded(schema), `${name}.${escaped ?? property}`);
    if (!type) continue;
    if (escaped !== undefined) fields.set(escaped, type);
    if (required.includes(property) && schema.default === undefined) {
      minSize += Buffer.byteLength(property) + (type.minSize ?? 0) + 4;
    }
  }
  return { kind: 'object', name, params: [], fields, minSize };
}

function textType({ format, maxLength, enum: values = [] }: Schema): CelType {
  const most = REQUEST_LIMIT - 2;
  switch (format) {
    case 'byte':
      return { ...BYTES, maxElements: maxLength ?? most, minSize: 2 };
    case 'duration':
      return { ...DURATION, maxElements: 32, minSize: 3 };
    case 'date':
      return { ...TIMESTAMP, maxElements: 12, minSize: 12 };
    case 'date-time':
      return { ...TIMESTAMP, maxElements: 32, minSize: 21 };
    default:
      break;
  }
  if (maxLength !== undefined) return { ...STRING, maxElements: maxLength * 4, minSize: 2 };
  const texts = values.filter((value) => typeof value === 'string');
  const longest = Math.max(0, ...texts.map((text) => Buffer.byteLength(text)));
  return { ...STRING, maxElements: values.length > 0 ? longest : most, minSize: 2 };
}
