import { commonMetadataErrors, compactMetadata } from '../resources/common-metadata.ts';
import { metadataFault } from '../resources/metadata-types.ts';
import { managedFieldsErrors } from '../resources/managed-fields-errors.ts';
import { dns1035LabelErrors, dnsLabelErrors, nameErrors } from '../resources/names.ts';
import type { FieldError } from '../status.ts';
import { invalidField, requiredField } from '../status.ts';
import type { ApiObject } from '../storage/stored-object.ts';
import type { Paused } from '../turn.ts';
import { complete, Turn } from '../turn.ts';
import type { Schema } from './schema.ts';
import { fieldSchema } from './schema.ts';

/**
 * Returns the errors in the identity and metadata of embedded resources: the value itself, and all that it contains.
 * (Upstream: `pkg/apiserver/schema/objectmeta` of apiextensions-apiserver.)
 */
export function embeddedResourceErrors(schema: Schema, value: unknown, path: string): FieldError[] {
  return complete(findingResourceErrors({ schema, path }, value, new Turn()));
}

/** A part of a value. */
export interface ResourcePlace {
  readonly schema: Schema;
  readonly path: string;
}

/** Like {@link embeddedResourceErrors}, with pauses. */
export function* findingResourceErrors(place: ResourcePlace, value: unknown, turn: Turn): Paused<FieldError[]> {
  const errors: FieldError[] = [];
  yield* addErrors(place, value, errors, turn);
  return errors;
}

function* addErrors({ schema, path }: ResourcePlace, value: unknown, errors: FieldError[], turn: Turn): Paused<void> {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    const { items } = schema;
    if (!items) return;
    for (const [index, item] of value.entries()) {
      if (turn.step()) yield* turn.pause();
      if (typeof item === 'object') yield* addErrors({ schema: items, path: `${path}[${index}]` }, item, errors, turn);
    }
    return;
  }
  const within = (field: string): string => (path === '' ? field : `${path}.${field}`);
  if (schema['x-kubernetes-embedded-resource']) errors.push(...resourceErrors(value, within));
  for (const field of Object.keys(value)) {
    if (turn.step()) yield* turn.pause();
    const child = (value as Readonly<Record<string, unknown>>)[field];
    const known = fieldSchema(schema, field);
    if (!known || typeof child !== 'object') continue;
    const isProperty = schema.properties !== undefined && Object.hasOwn(schema.properties, field);
    yield* addErrors({ schema: known, path: isProperty ? within(field) : `${path}[${field}]` }, child, errors, turn);
  }
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
  const fault = metadataFault(metadata);
  if (fault !== undefined) return [...errors, invalidField(within('metadata'), metadata, fault)];
  if (typeof metadata !== 'object' || metadata === null) return errors;
  errors.push(...metadataErrors(metadata).map((error) => ({ ...error, field: within(error.field) })));
  return errors;
}

/** Returns the errors in metadata whose types are valid. */
function metadataErrors(sent: object): FieldError[] {
  const metadata: Partial<ApiObject['metadata']> = compactMetadata(sent);
  const { generateName = '', name = '', namespace = '' } = metadata;
  const of = (field: string, value: string, details: readonly string[]): FieldError[] =>
    value === '' ? [] : details.map((detail) => invalidField(`metadata.${field}`, value, detail));
  return [
    // A prefix is not a name: it may consist of dots.
    ...of('generateName', generateName, nameErrors('path segment', `${generateName}a`)),
    ...of('name', name, nameErrors('path segment', name)),
    ...of('namespace', namespace, dnsLabelErrors(namespace)),
    ...commonMetadataErrors(metadata),
    ...managedFieldsErrors(metadata.managedFields ?? []),
  ];
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
