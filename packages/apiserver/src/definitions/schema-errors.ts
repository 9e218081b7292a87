import type { FieldError } from '../status.ts';
import { forbiddenField, invalidField, requiredField, unsupportedField } from '../status.ts';
import type { JsonSchema } from './json-schema.ts';
import { additionalOf, isSchemaList, itemsOf, propertiesOf } from './json-schema.ts';
import { listTypeErrors } from './list-type-errors.ts';
import { ruleTextErrors } from './rule-text-errors.ts';

/* Rules and messages follow `ValidateCustomResourceDefinitionOpenAPISchema` of apiextensions-apiserver. */

const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
const META_FIELDS: ReadonlySet<string> = new Set(['metadata', 'kind', 'apiVersion']);

/** Surroundings of a part of a schema. */
export interface SchemaPlace {
  readonly path: string;
  /** Why defaults are forbidden; `undefined` where they are allowed. */
  readonly forbiddenDefault?: string;
  readonly insideMetadata?: boolean;
  readonly isRoot?: boolean;
}

const UNSUPPORTED = ['id', 'additionalItems', 'patternProperties', 'definitions', 'dependencies', '$ref'] as const;

/** Returns the errors in a schema that do not concern its structure. */
export function schemaFieldErrors(schema: JsonSchema, place: SchemaPlace): FieldError[] {
  const { path } = place;
  const { type = '' } = schema;
  const errors = [...ownErrors(schema, place)];
  if (schema.additionalProperties !== undefined) errors.push(...additionalErrors(schema, place));
  for (const [name, property] of propertiesOf(schema)) {
    errors.push(...schemaFieldErrors(property, propertyPlace(schema, place, name)));
  }
  const nested = { ...place, isRoot: false };
  const within = (child: JsonSchema, at: string): FieldError[] =>
    schemaFieldErrors(child, { ...nested, path: `${path}.${at}` });
  if (schema.not) errors.push(...within(schema.not, 'not'));
  for (const field of ['allOf', 'oneOf', 'anyOf'] as const) {
    schema[field]?.forEach((one, index) => errors.push(...within(one, `${field}[${index}]`)));
  }
  const items = itemsOf(schema);
  if (items) errors.push(...within(items, 'items'));
  if (schema['x-kubernetes-preserve-unknown-fields'] === false) {
    errors.push(invalidField(`${path}.x-kubernetes-preserve-unknown-fields`, false, 'must be true or undefined'));
  }
  const mapType = schema['x-kubernetes-map-type'];
  if (mapType !== undefined && type !== 'object') {
    const rule = 'must be object if x-kubernetes-map-type is specified';
    errors.push(type === '' ? requiredField(`${path}.type`, rule) : invalidField(`${path}.type`, type, rule));
  }
  if (mapType !== undefined && mapType !== 'atomic' && mapType !== 'granular') {
    errors.push(unsupportedField(`${path}.x-kubernetes-map-type`, mapType, ['atomic', 'granular']));
  }
  return [...errors, ...listTypeErrors(schema, path), ...ruleTextErrors(schema, path)];
}

function ownErrors(schema: JsonSchema, { path, forbiddenDefault, insideMetadata }: SchemaPlace): FieldError[] {
  const { type = '' } = schema;
  const errors: FieldError[] = [];
  if (type !== '' && !TYPES.includes(type)) errors.push(unsupportedField(`${path}.type`, type, TYPES));
  if (schema.default !== undefined && forbiddenDefault !== undefined) {
    errors.push(forbiddenField(`${path}.default`, `must not be set ${forbiddenDefault}`.trimEnd()));
  }
  for (const field of UNSUPPORTED) {
    if (isSet(schema[field]) || (field === 'additionalItems' && schema[field] !== undefined))
      errors.push(forbiddenField(`${path}.${field}`, `${field} is not supported`));
  }
  if (type === 'null') {
    errors.push(forbiddenField(`${path}.type`, 'type cannot be set to null, use nullable as an alternative'));
  }
  if (schema.items !== undefined && isSchemaList(schema.items) && schema.items.length > 0) {
    errors.push(forbiddenField(`${path}.items`, 'items must be a schema object and not an array'));
  }
  if (insideMetadata && schema['x-kubernetes-embedded-resource']) {
    errors.push(forbiddenField(`${path}.x-kubernetes-embedded-resource`, 'must not be used inside of resource meta'));
  }
  if (schema.uniqueItems) {
    const rule = 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic';
    errors.push(forbiddenField(`${path}.uniqueItems`, rule));
  }
  return errors;
}

function isSet(value: unknown): boolean {
  if (value === undefined || value === '') return false;
  return typeof value !== 'object' || value === null || Object.keys(value).length > 0;
}

function additionalErrors(schema: JsonSchema, place: SchemaPlace): FieldError[] {
  const { path, insideMetadata } = place;
  const hasProperties = Object.keys(schema.properties ?? {}).length > 0;
  const errors =
    hasProperties && schema.additionalProperties !== true
      ? [forbiddenField(`${path}.additionalProperties`, 'additionalProperties and properties are mutual exclusive')]
      : [];
  const additional = additionalOf(schema);
  if (!additional) return errors;
  return [
    ...errors,
    ...schemaFieldErrors(additional, {
      ...place,
      path: `${path}.additionalProperties`,
      isRoot: false,
      ...(insideMetadata && { forbiddenDefault: 'inside additionalProperties applying to object metadata' }),
    }),
  ];
}

function propertyPlace(schema: JsonSchema, place: SchemaPlace, name: string): SchemaPlace {
  const { isRoot = false } = place;
  const isMeta = (isRoot || schema['x-kubernetes-embedded-resource'] === true) && META_FIELDS.has(name);
  return {
    ...place,
    path: `${place.path}.properties[${name}]`,
    isRoot: false,
    ...(isMeta && { insideMetadata: true }),
    ...(isMeta && isRoot && { forbiddenDefault: `in top-level ${name}` }),
  };
}
