import { badRequest } from '../status.ts';
import type { ResourceType } from '../resources/resource-type.ts';
import type { StoredObject } from '../storage/stored-object.ts';

interface FieldRequirement {
  readonly field: string;
  readonly equal: boolean;
  readonly value: string;
}

/** Requirements that must all match. */
export type FieldSelector = readonly FieldRequirement[];

const METADATA_FIELDS = new Set(['metadata.name', 'metadata.namespace']);

/**
 * Parses `a=b,c!=d`.
 *
 * @throws {StatusError} 400 if the text is not a valid selector, or names a field that cannot be selected.
 */
export function parseFieldSelector(type: ResourceType, text: string): FieldSelector {
  return parseFieldTerms(text).map(({ field, ...term }) => {
    const selected = selectedField(type, field);
    if (selected === undefined) throw badRequest(unknownField(type, field));
    return { ...term, field: selected };
  });
}

/** Parses a field selector, whose fields may be unknown. @throws {StatusError} 400 if the text is not a valid selector. */
export function parseFieldTerms(text: string): FieldSelector {
  const terms = text.split(',').filter((term) => term !== '');
  return terms.flatMap((term) => {
    const [, field, operator, value] = /^([^=!]*)(==|=|!=)(.*)$/.exec(term) ?? [];
    if (field === undefined || value === undefined) {
      throw badRequest(`invalid selector: '${text}'; can't understand '${term}'`);
    }
    if (value.includes('=')) throw badRequest('invalid field selector: unescaped character in value: 61');
    // A term without a field and a value selects everything.
    if (field === '' && value === '') return [];
    return { field, equal: operator !== '!=', value };
  });
}

/** Returns the stored field of a label, or `undefined` if the kind does not have it. */
function selectedField(type: ResourceType, label: string): string | undefined {
  const { fields, fieldLabels } = type;
  if (METADATA_FIELDS.has(label)) return label !== 'metadata.namespace' || hasNamespaceLabel(type) ? label : undefined;
  if (fieldLabels) return Object.hasOwn(fieldLabels, label) ? fieldLabels[label] : undefined;
  return Object.hasOwn(fields, label) ? label : undefined;
}

/** A cluster-scoped kind knows the label of the namespace only if it has no fields of its own, and is built in. */
function hasNamespaceLabel({ builtIn, scope, fields }: ResourceType): boolean {
  return scope === 'Namespaced' || (builtIn && Object.keys(fields).length === 0);
}

function unknownField({ builtIn, fields, storage, kind, group, version }: ResourceType, field: string): string {
  if (storage === 'resourceslices.resource.k8s.io')
    return `field label not supported for ${group}/${version}, Kind=${kind}: ${field}`;
  if (storage === 'jobs.batch') return `field label ${JSON.stringify(field)} not supported for Job`;
  return builtIn && Object.keys(fields).length === 0
    ? `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`
    : `field label not supported: ${field}`;
}

export function matchesFields(selector: FieldSelector, object: StoredObject): boolean {
  return selector.every(({ field, equal, value }) => (fieldOf(object, field) === value) === equal);
}

function fieldOf(object: StoredObject, field: string): string {
  switch (field) {
    case 'metadata.name':
      return object.name;
    case 'metadata.namespace':
      return object.namespace;
    default:
      return object.fields[field] ?? '';
  }
}
