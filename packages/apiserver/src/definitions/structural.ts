import { isDeepStrictEqual } from 'node:util';
import { regexError } from '../schema/regular-expression.ts';
import type { FieldError } from '../status.ts';
import { forbiddenField, invalidField, requiredField } from '../status.ts';
import { completenessErrors } from './completeness.ts';
import type { JsonSchema } from './json-schema.ts';
import { additionalOf, itemsOf, propertiesOf } from './json-schema.ts';

/* Rules and messages follow `pkg/apiserver/schema/validation.go` of apiextensions-apiserver. */

type Level = 'root' | 'item' | 'field';

const MISSING_TYPE: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};

const INT_OR_STRING = [{ type: 'integer' }, { type: 'string' }];

/** Returns the violations of the rules of structural schemas, sorted. */
export function structuralErrors(schema: JsonSchema, path: string): FieldError[] {
  const errors = [...invariantErrors(schema, 'root', path), ...completenessErrors(schema, path)];
  const text = ({ field, message }: FieldError): string => `${field}: ${message}`;
  return errors.sort((a, b) => (text(a) < text(b) ? -1 : 1));
}

function invariantErrors(schema: JsonSchema, level: Level, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const items = itemsOf(schema);
  if (schema.type === 'array' && !items) errors.push(requiredField(`${path}.items`, 'must be specified'));
  if (items) errors.push(...invariantErrors(items, 'item', `${path}.items`));
  for (const [name, property] of propertiesOf(schema)) {
    errors.push(...invariantErrors(property, 'field', `${path}.properties[${name}]`));
  }
  if (schema.additionalProperties !== undefined && level === 'root') {
    errors.push(forbiddenField(`${path}.additionalProperties`, 'must not be used at the root'));
  }
  const additional = additionalOf(schema);
  if (additional) errors.push(...invariantErrors(additional, 'field', `${path}.additionalProperties`));
  errors.push(...extensionErrors(schema, path));
  const intOrString = isDeepStrictEqual(schema.anyOf, INT_OR_STRING);
  errors.push(...valueErrors(schema, intOrString, isDeepStrictEqual(schema.allOf?.[0]?.anyOf, INT_OR_STRING), path));
  errors.push(...typeErrors(schema, level, path), ...resourceErrors(schema, level, path));
  return errors;
}

function extensionErrors(schema: JsonSchema, path: string): FieldError[] {
  if (!schema['x-kubernetes-int-or-string']) return [];
  const fields = ['x-kubernetes-preserve-unknown-fields', 'x-kubernetes-embedded-resource'] as const;
  return fields
    .filter((field) => schema[field])
    .map((field) => invalidField(`${path}.${field}`, true, 'must be false if x-kubernetes-int-or-string is true'));
}

function typeErrors(schema: JsonSchema, level: Level, path: string): FieldError[] {
  const { type = '' } = schema;
  const errors: FieldError[] = [];
  const embedded = schema['x-kubernetes-embedded-resource'] === true;
  if (embedded && type !== 'object') {
    const rule = 'must be object if x-kubernetes-embedded-resource is true';
    errors.push(type === '' ? requiredField(`${path}.type`, rule) : invalidField(`${path}.type`, type, rule));
  } else if (type === '' && !schema['x-kubernetes-int-or-string'] && !schema['x-kubernetes-preserve-unknown-fields']) {
    errors.push(requiredField(`${path}.type`, MISSING_TYPE[level]));
  }
  if (embedded && schema.additionalProperties !== undefined) {
    const rule = 'must not be used if x-kubernetes-embedded-resource is set';
    errors.push(forbiddenField(`${path}.additionalProperties`, rule));
  }
  if (level === 'root' && type !== '' && type !== 'object') {
    errors.push(invalidField(`${path}.type`, type, 'must be object at the root'));
  }
  return errors;
}

/** Rules of the fields that every object has, at the root and in embedded resources. */
function resourceErrors(schema: JsonSchema, level: Level, path: string): FieldError[] {
  const { properties = {} } = schema;
  const embedded = schema['x-kubernetes-embedded-resource'] === true;
  const isResource = level === 'root' || embedded;
  const errors: FieldError[] = [];
  for (const name of isResource ? ['kind', 'apiVersion'] : []) {
    const field = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (field && field.type !== 'string') {
      errors.push(invalidField(`${path}.properties[${name}].type`, field.type ?? '', 'must be string'));
    }
  }
  const metadata = Object.hasOwn(properties, 'metadata') ? properties['metadata'] : undefined;
  if (metadata && isResource && metadata.type !== 'object') {
    errors.push(invalidField(`${path}.properties[metadata].type`, metadata.type ?? '', 'must be object'));
  }
  if (metadata && level === 'root' && !isNameSchema(metadata)) {
    const rule = 'must not specify anything other than name and generateName, but metadata is implicitly specified';
    errors.push(forbiddenField(`${path}.properties[metadata]`, rule));
  }
  if (embedded && !schema['x-kubernetes-preserve-unknown-fields'] && Object.keys(properties).length === 0) {
    const rule =
      'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields';
    errors.push(requiredField(`${path}.properties`, rule));
  }
  return errors;
}

/** Reports whether a schema of metadata restricts at most `name` and `generateName`. */
function isNameSchema({ type: _type, default: _default, properties = {}, ...rest }: JsonSchema): boolean {
  const names = Object.keys(properties);
  return Object.keys(rest).length === 0 && names.every((name) => name === 'name' || name === 'generateName');
}

/** @param skipAnyOf whether `anyOf` is the permitted form for int-or-string; `skipFirst`: in the first of `allOf`. */
function valueErrors(schema: JsonSchema, skipAnyOf: boolean, skipFirst: boolean, path: string): FieldError[] {
  const { allOf = [], anyOf = [], oneOf = [], not, pattern = '' } = schema;
  const errors = skipAnyOf ? [] : anyOf.flatMap((one, index) => nestedErrors(one, false, `${path}.anyOf[${index}]`));
  allOf.forEach((one, index) => {
    errors.push(...nestedErrors(one, skipFirst && index === 0, `${path}.allOf[${index}]`));
  });
  oneOf.forEach((one, index) => errors.push(...nestedErrors(one, false, `${path}.oneOf[${index}]`)));
  if (not) errors.push(...nestedErrors(not, false, `${path}.not`));
  const reason = pattern === '' ? undefined : regexError(pattern);
  if (reason !== undefined) {
    const detail = `must be a valid regular expression, but isn't: ${reason}`;
    errors.push(invalidField(`${path}.pattern`, pattern, detail));
  }
  return errors;
}

type Forbidden = readonly [field: keyof JsonSchema, rule: string];

/** Fields that only the structural part of a schema may have. */
const FORBIDDEN: readonly Forbidden[] = [
  ['type', 'must be empty to be structural'],
  ['additionalProperties', 'must be undefined to be structural'],
  ['default', 'must be undefined to be structural'],
  ['title', 'must be empty to be structural'],
  ['description', 'must be empty to be structural'],
  ['nullable', 'must be false to be structural'],
  ['x-kubernetes-preserve-unknown-fields', 'must be false to be structural'],
  ['x-kubernetes-embedded-resource', 'must be false to be structural'],
  ['x-kubernetes-int-or-string', 'must be false to be structural'],
  ['x-kubernetes-list-map-keys', 'must be empty to be structural'],
  ['x-kubernetes-list-type', 'must be undefined to be structural'],
  ['x-kubernetes-map-type', 'must be undefined to be structural'],
  ['x-kubernetes-validations', 'must be empty to be structural'],
];

function nestedErrors(schema: JsonSchema, skipAnyOf: boolean, path: string): FieldError[] {
  const errors = valueErrors(schema, skipAnyOf, false, path);
  const items = itemsOf(schema);
  if (items) errors.push(...nestedErrors(items, false, `${path}.items`));
  for (const [name, property] of propertiesOf(schema)) {
    errors.push(...nestedErrors(property, false, `${path}.properties[${name}]`));
  }
  for (const [field, rule] of FORBIDDEN) {
    if (!isZero(field, schema[field])) errors.push(forbiddenField(`${path}.${field}`, rule));
  }
  if (schema.properties && Object.hasOwn(schema.properties, 'metadata')) {
    errors.push(forbiddenField(`${path}.properties[metadata]`, 'must not be specified in a nested context'));
  }
  return errors;
}

/** Fields whose empty values are values. */
const POINTERS: ReadonlySet<keyof JsonSchema> = new Set(['default', 'x-kubernetes-list-type', 'x-kubernetes-map-type']);

/** Reports whether Go takes the value of a field for none. */
function isZero(field: keyof JsonSchema, value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (POINTERS.has(field)) return false;
  return value === false || value === '' || (Array.isArray(value) && value.length === 0);
}
