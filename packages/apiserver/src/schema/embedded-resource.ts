import { annotationFieldErrors, dns1035LabelErrors, labelFieldErrors, nameErrors } from '../resources/names.ts';
import type { FieldError } from '../status.ts';
import { invalidField, requiredField } from '../status.ts';
import type { Schema } from './schema.ts';
import { fieldSchema } from './schema.ts';

/**
 * Returns the errors in the identity and metadata of embedded resources: the value itself, and all that it contains.
 * (Upstream: `pkg/apiserver/schema/objectmeta` of apiextensions-apiserver.)
 */
export function embeddedResourceErrors(schema: Schema, value: unknown, path: string): FieldError[] {
  if (Array.isArray(value)) {
    const { items } = schema;
    return items ? value.flatMap((item, index) => embeddedResourceErrors(items, item, `${path}[${index}]`)) : [];
  }
  if (typeof value !== 'object' || value === null) return [];
  const within = (field: string): string => (path === '' ? field : `${path}.${field}`);
  const errors = schema['x-kubernetes-embedded-resource'] ? resourceErrors(value, within) : [];
  for (const [field, child] of Object.entries(value)) {
    const known = fieldSchema(schema, field);
    if (!known) continue;
    const isProperty = schema.properties !== undefined && Object.hasOwn(schema.properties, field);
    errors.push(...embeddedResourceErrors(known, child, isProperty ? within(field) : `${path}[${field}]`));
  }
  return errors;
}

function resourceErrors(value: object, within: (field: string) => string): FieldError[] {
  const fields = new Map<string, unknown>(Object.entries(value));
  const errors: FieldError[] = [];
  for (const field of ['apiVersion', 'kind']) {
    if (!fields.has(field)) errors.push(requiredField(within(field), ''));
  }
  for (const field of ['apiVersion', 'kind']) {
    if (!fields.has(field)) continue;
    const text = fields.get(field);
    const detail = field === 'kind' ? kindFault(text) : versionFault(text);
    if (detail !== undefined) errors.push(invalidField(within(field), text, detail));
  }
  const metadata = fields.get('metadata');
  if (metadata === undefined || metadata === null) return errors;
  if (typeof metadata !== 'object' || Array.isArray(metadata)) {
    return [...errors, invalidField(within('metadata'), metadata, 'must be an object')];
  }
  const { name, labels, annotations } = metadata as Readonly<Record<string, unknown>>;
  const prefixed = (error: FieldError): FieldError => ({ ...error, field: within(error.field) });
  if (typeof name === 'string' && name !== '') {
    const details = nameErrors('path segment', name);
    errors.push(...details.map((detail) => invalidField(within('metadata.name'), name, detail)));
  }
  if (isTextMap(labels)) errors.push(...labelFieldErrors(labels).map(prefixed));
  if (isTextMap(annotations)) errors.push(...annotationFieldErrors(annotations).map(prefixed));
  return errors;
}

function isTextMap(value: unknown): value is Readonly<Record<string, string>> {
  return typeof value === 'object' && value !== null && Object.values(value).every((text) => typeof text === 'string');
}

function versionFault(text: unknown): string | undefined {
  if (typeof text !== 'string') return 'must be a string';
  if (text === '') return 'must not be empty';
  return text.split('/').length > 2 ? `unexpected GroupVersion string: ${text}` : undefined;
}

function kindFault(text: unknown): string | undefined {
  if (typeof text !== 'string') return 'must be a string';
  if (text === '') return 'must not be empty';
  const errors = dns1035LabelErrors(text.toLowerCase());
  return errors.length === 0 ? undefined : `may have mixed case, but should otherwise match: ${errors.join(',')}`;
}
