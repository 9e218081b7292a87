import type { FieldError } from '../status.ts';
import { forbiddenField, invalidField, requiredField, unsupportedField } from '../status.ts';
import { internalItems } from './go-json.ts';
import type { JsonSchema } from './json-schema.ts';
import { itemsOf } from './json-schema.ts';

/** Returns the errors in `x-kubernetes-list-type` and `x-kubernetes-list-map-keys` of a schema. */
export function listTypeErrors(schema: JsonSchema, path: string): FieldError[] {
  const { type = '' } = schema;
  const listType = schema['x-kubernetes-list-type'];
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const errors: FieldError[] = [];
  if (listType !== undefined && type !== 'array') {
    const rule = 'must be array if x-kubernetes-list-type is specified';
    errors.push(type === '' ? requiredField(`${path}.type`, rule) : invalidField(`${path}.type`, type, rule));
  } else if (listType === 'set') {
    errors.push(...setItemErrors(schema, path));
  }
  if (listType !== undefined && !['atomic', 'set', 'map'].includes(listType)) {
    errors.push(unsupportedField(`${path}.x-kubernetes-list-type`, listType, ['atomic', 'set', 'map']));
  }
  if (keys.length > 0 && listType !== 'map') {
    const rule = 'must be map if x-kubernetes-list-map-keys is non-empty';
    const field = `${path}.x-kubernetes-list-type`;
    errors.push(listType === undefined ? requiredField(field, rule) : invalidField(field, listType, rule));
  }
  if (listType === 'map') errors.push(...mapErrors(schema, keys, path));
  if (listType === 'map' || listType === 'set') errors.push(...nullableErrors(schema, listType, keys, path));
  return errors;
}

/** The items of a set are scalars or atomic. */
function setItemErrors(schema: JsonSchema, path: string): FieldError[] {
  const items = itemsOf(schema);
  const rule = 'must be atomic as item of a list with x-kubernetes-list-type=set';
  const listType = items?.['x-kubernetes-list-type'];
  if (items?.type === 'array' && listType !== undefined && listType !== 'atomic') {
    return [invalidField(`${path}.items.x-kubernetes-list-type`, listType, rule)];
  }
  if (items?.type === 'object' && items['x-kubernetes-map-type'] !== 'atomic') {
    return [invalidField(`${path}.items.x-kubernetes-map-type`, listType ?? null, rule)];
  }
  return [];
}

function mapErrors(schema: JsonSchema, keys: readonly string[], path: string): FieldError[] {
  const errors: FieldError[] = [];
  const keysPath = `${path}.x-kubernetes-list-map-keys`;
  if (keys.length === 0) errors.push(requiredField(keysPath, 'must not be empty if x-kubernetes-list-type is map'));
  const items = itemsOf(schema);
  if (!items) {
    const sent = internalItems(schema);
    const rule = 'must only have a single schema if x-kubernetes-list-type is map';
    const error = sent
      ? invalidField(`${path}.items`, sent, rule)
      : requiredField(`${path}.items`, 'must have a schema if x-kubernetes-list-type is map');
    return [...errors, error];
  }
  const { type = '', properties = {} } = items;
  if (type !== 'object') {
    const rule = "must be object if parent array's x-kubernetes-list-type is map";
    return [...errors, invalidField(`${path}.items.type`, type, rule)];
  }
  keys.forEach((key, index) => {
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (!property) errors.push(invalidField(keysPath, keys, 'entries must all be names of item properties'));
    else if (property.type === 'array' || property.type === 'object') {
      const rule = "must be a scalar type if parent array's x-kubernetes-list-type is map";
      errors.push(invalidField(`${path}.items.properties[${key}].type`, type, rule));
    }
    if (keys.indexOf(key) < index) errors.push(invalidField(keysPath, keys, 'must not contain duplicate entries'));
  });
  return errors;
}

function nullableErrors(schema: JsonSchema, listType: string, keys: readonly string[], path: string): FieldError[] {
  const items = itemsOf(schema);
  if (!items) return [];
  const errors: FieldError[] = [];
  if (items.nullable) {
    errors.push(
      forbiddenField(`${path}.items.nullable`, `cannot be nullable when x-kubernetes-list-type is ${listType}`),
    );
  }
  const { properties = {}, required = [] } = items;
  for (const key of listType === 'map' ? keys : []) {
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (!property) continue;
    const why = 'this property is in x-kubernetes-list-map-keys, so it';
    const at = `${path}.items.properties[${key}]`;
    if (!required.includes(key) && property.default === undefined) {
      errors.push(requiredField(`${at}.default`, `${why} must have a default or be a required property`));
    }
    if (property.nullable) errors.push(forbiddenField(`${at}.nullable`, `${why} cannot be nullable`));
  }
  return errors;
}
