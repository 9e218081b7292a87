import { isDeepStrictEqual } from 'node:util';
import type { FieldError } from '../status.ts';
import { requiredField, unsupportedField } from '../status.ts';
import { matchesFormat } from './formats.ts';
import type { Before } from './correlation.ts';
import { fieldBefore, itemBefore } from './correlation.ts';
import { compileExpression } from './regular-expression.ts';
import type { Schema } from './schema.ts';
import { fieldSchema } from './schema.ts';

/**
 * Returns the violations of a schema. Messages follow `k8s.io/kube-openapi/pkg/validation` as in API errors.
 * `x-kubernetes-validations` (CEL) are not evaluated.
 *
 * @param before the value before an update, for parts of the object that can be correlated.
 */
export function schemaErrors(schema: Schema, value: unknown, path = '', before?: Before): FieldError[] {
  // An update keeps invalid values that it does not change (KEP-4008).
  if (before && path !== '' && isDeepStrictEqual(value, before.value)) return [];
  if (value === null) {
    return schema.nullable === true || schema.type === undefined ? [] : [typeError(path, schema.type, value)];
  }
  const type = typeErrors(schema, value, path);
  if (type.length > 0) return [...type, ...enumErrors(schema, value, path)];
  return [
    ...enumErrors(schema, value, path),
    ...valueErrors(schema, value, path, before),
    ...combinedErrors(schema, value, path),
  ];
}

function valueErrors(schema: Schema, value: unknown, path: string, before: Before | undefined): FieldError[] {
  if (typeof value === 'string') return stringErrors(schema, value, path);
  if (typeof value === 'number') return numberErrors(schema, value, path);
  if (Array.isArray(value)) return listErrors(schema, value, path, before);
  if (typeof value === 'object' && value !== null) return objectErrors(schema, value, path, before);
  return [];
}

function typeErrors(schema: Schema, value: unknown, path: string): FieldError[] {
  const actual = typeOf(value);
  if (schema['x-kubernetes-int-or-string']) {
    return actual === 'integer' || actual === 'string' ? [] : [typeError(path, 'integer,string', value)];
  }
  const fits =
    schema.type === undefined || schema.type === actual || (schema.type === 'number' && actual === 'integer');
  return fits ? [] : [typeError(path, schema.type ?? '', value)];
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'number' && Number.isInteger(value) ? 'integer' : typeof value;
}

function typeError(path: string, expected: string, value: unknown): FieldError {
  const actual = JSON.stringify(typeOf(value));
  return {
    reason: 'FieldValueTypeInvalid',
    field: path,
    message: `Invalid value: ${actual}: ${path} in body must be of type ${expected}: ${actual}`,
  };
}

/** @param rule text after `in body`. */
function broken(path: string, value: unknown, rule: string): FieldError {
  return {
    reason: 'FieldValueInvalid',
    field: path,
    message: `Invalid value: ${shown(value)}: ${path} in body ${rule}`,
  };
}

/** Formats a value for an error: objects and lists by their type. */
function shown(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(typeOf(value)) : JSON.stringify(value);
}

function enumErrors(schema: Schema, value: unknown, path: string): FieldError[] {
  if (!schema.enum || schema.enum.some((allowed) => isDeepStrictEqual(allowed, value))) return [];
  return [unsupportedField(path, value, schema.enum.map(String))];
}

function stringErrors(schema: Schema, value: string, path: string): FieldError[] {
  const { minLength = 0, maxLength = Infinity, pattern, format } = schema;
  const { length } = Array.from(value);
  const errors: FieldError[] = [];
  if (length > maxLength) {
    const message = `Too long: may not be more than ${maxLength} bytes`;
    return [{ reason: 'FieldValueTooLong', field: path, message }];
  }
  if (length < minLength) errors.push(broken(path, value, `should be at least ${minLength} chars long`));
  if (pattern !== undefined && !compileExpression(pattern).test(value)) {
    errors.push(broken(path, value, `should match '${pattern}'`));
  }
  if (format !== undefined && !matchesFormat(format, value)) {
    const error = broken(path, value, `must be of type ${format}: ${JSON.stringify(value)}`);
    errors.push({ ...error, reason: 'FieldValueTypeInvalid' });
  }
  return errors;
}

function numberErrors(schema: Schema, value: number, path: string): FieldError[] {
  const { minimum, maximum, exclusiveMinimum = false, exclusiveMaximum = false, multipleOf, format } = schema;
  const errors: FieldError[] = [];
  if (minimum !== undefined && (exclusiveMinimum ? value <= minimum : value < minimum)) {
    errors.push(broken(path, value, `should be greater than ${exclusiveMinimum ? '' : 'or equal to '}${minimum}`));
  }
  if (maximum !== undefined && (exclusiveMaximum ? value >= maximum : value > maximum)) {
    errors.push(broken(path, value, `should be less than ${exclusiveMaximum ? '' : 'or equal to '}${maximum}`));
  }
  if (multipleOf !== undefined && !Number.isInteger(value / multipleOf)) {
    errors.push(broken(path, value, `should be a multiple of ${multipleOf}`));
  }
  if (format === 'int32' && (value < -(2 ** 31) || value > 2 ** 31 - 1)) {
    errors.push(broken(path, value, `must be of type int32: ${JSON.stringify(String(value))}`));
  }
  return errors;
}

function tooMany(path: string, count: number, limit: number): FieldError {
  return { reason: 'FieldValueTooMany', field: path, message: `Too many: ${count}: must have at most ${limit} items` };
}

function listErrors(schema: Schema, list: readonly unknown[], path: string, before: Before | undefined): FieldError[] {
  const { items, minItems = 0, maxItems = Infinity } = schema;
  const errors = items
    ? list.flatMap((item, index) => schemaErrors(items, item, `${path}[${index}]`, itemBefore(schema, item, before)))
    : [];
  if (list.length > maxItems) errors.push(tooMany(path, list.length, maxItems));
  if (list.length < minItems) errors.push(broken(path, list, `should have at least ${minItems} items`));
  return errors;
}

function objectErrors(schema: Schema, object: object, path: string, before: Before | undefined): FieldError[] {
  const { required = [], minProperties = 0, maxProperties = Infinity } = schema;
  const within = (field: string): string => (path === '' ? field : `${path}.${field}`);
  const errors = required
    .filter((field) => !Object.hasOwn(object, field))
    .map((field) => requiredField(within(field), ''));
  for (const [field, value] of Object.entries(object)) {
    const known = fieldSchema(schema, field);
    if (known) errors.push(...schemaErrors(known, value, within(field), fieldBefore(field, path, before)));
  }
  const count = Object.keys(object).length;
  if (count > maxProperties) errors.push(tooMany(path, count, maxProperties));
  if (count < minProperties) errors.push(broken(path, object, `should have at least ${minProperties} properties`));
  return errors;
}

function combinedErrors(schema: Schema, value: unknown, path: string): FieldError[] {
  const accepts = (one: Schema): boolean => schemaErrors(one, value, path).length === 0;
  const { allOf = [], anyOf, oneOf, not } = schema;
  const errors = allOf.flatMap((one) => schemaErrors(one, value, path));
  const intOrString = schema['x-kubernetes-int-or-string'] === true;
  if (anyOf && !intOrString && !anyOf.some(accepts)) {
    errors.push(broken(path, value, 'must validate at least one schema (anyOf)'));
  }
  if (oneOf && oneOf.filter(accepts).length !== 1) {
    errors.push(broken(path, value, 'must validate one and only one schema (oneOf)'));
  }
  if (not && accepts(not)) errors.push(broken(path, value, 'must not validate the schema (not)'));
  return errors;
}
