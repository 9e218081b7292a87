import { isDeepStrictEqual } from 'node:util';
import { dns1035LabelErrors, subdomainErrors } from '../resources/names.ts';
import type { Change } from '../resources/resource-type.ts';
import type { FieldError } from '../status.ts';
import { forbiddenField, invalidField, requiredField, unsupportedField } from '../status.ts';
import { caBundleErrors, conversionErrors } from './conversion-errors.ts';
import { defaultErrors } from './default-errors.ts';
import type { DefinitionNames, InternalSpec, VersionParts } from './definition.ts';
import { hasCondition, internalSpec, specOf } from './definition.ts';
import { goJson, internalSchema, internalVersion } from './go-json.ts';
import type { JsonSchema } from './json-schema.ts';
import { isConvertible } from './json-schema.ts';
import { ruleErrorsOfDefault, ruleErrors } from './rule-errors.ts';
import { schemaFieldErrors } from './schema-errors.ts';
import { structuralErrors } from './structural.ts';
import { columnErrors, deprecationErrors, selectableFieldErrors, subresourceErrors } from './version-errors.ts';

/* Rules and messages follow `pkg/apis/apiextensions/validation/validation.go` of apiextensions-apiserver. */

/** Fields of a schema's root beside which `status` can be validated on its own. */
const ROOT_FIELDS = [
  'Description',
  'Type',
  'Format',
  'Title',
  'Maximum',
  'ExclusiveMaximum',
  'Minimum',
  'ExclusiveMinimum',
  'MaxLength',
  'MinLength',
  'Pattern',
  'MaxItems',
  'MinItems',
  'UniqueItems',
  'MultipleOf',
  'Required',
  'Items',
  'Properties',
  'ExternalDocs',
  'Example',
  'XPreserveUnknownFields',
  'XValidations',
];

/** Returns the errors in the spec of a definition. */
export function specErrors({ object, previous }: Change): FieldError[] {
  const spec = internalSpec(specOf(object));
  const before = previous && internalSpec(specOf(previous));
  return [
    ...groupErrors(spec),
    ...scopeErrors(spec),
    ...missingSchemaErrors(spec),
    ...versionErrors(spec, before),
    ...versionListErrors(spec),
    ...requiredNameErrors(spec.names ?? {}),
    ...nameFieldErrors(spec.names ?? {}, 'spec.names'),
    ...sharedErrors(spec, before),
    ...webhookErrors(spec, before, previous),
    ...immutableErrors(spec, before, hasCondition(previous, 'Established')),
  ];
}

function groupErrors({ group = '' }: InternalSpec): FieldError[] {
  if (group === '') return [requiredField('spec.group', '')];
  const details = subdomainErrors(group);
  if (details.length > 0) return [invalidField('spec.group', group, details.join(','))];
  if (group.includes('.')) return [];
  return [invalidField('spec.group', group, 'should be a domain with at least one dot')];
}

function scopeErrors({ scope = '' }: InternalSpec): FieldError[] {
  if (scope === '') return [requiredField('spec.scope', '')];
  if (scope === 'Cluster' || scope === 'Namespaced') return [];
  return [unsupportedField('spec.scope', scope, ['Cluster', 'Namespaced'])];
}

function missingSchemaErrors({ shared, versions }: InternalSpec): FieldError[] {
  if (shared.schema?.openAPIV3Schema) return [];
  return versions.flatMap(({ schema }, index) =>
    schema?.openAPIV3Schema ? [] : [requiredField(`spec.versions[${index}].schema.openAPIV3Schema`, '')],
  );
}

function versionErrors(spec: InternalSpec, before: InternalSpec | undefined): FieldError[] {
  const ownSubresources = spec.versions.some(({ subresources }) => subresources !== undefined);
  return spec.versions.flatMap((version, index) => {
    const path = `spec.versions[${index}]`;
    const details = dns1035LabelErrors(version.name ?? '');
    const subresources = ownSubresources ? version.subresources : spec.shared.subresources;
    const known = before && partsOf(before, version.name);
    return [
      ...(details.length > 0 ? [invalidField(`${path}.name`, version.name ?? '', details.join(','))] : []),
      ...deprecationErrors(version, path),
      ...schemaErrorsOf(version, known, {
        path: `${path}.schema`,
        hasStatus: subresources?.status !== undefined,
      }),
      ...subresourceErrors(version.subresources, `${path}.subresources`),
      ...columnErrors(version.additionalPrinterColumns, `${path}.additionalPrinterColumns`),
      ...selectableFieldErrors(
        version.schema ? version : { ...version, ...(spec.shared.schema && { schema: spec.shared.schema }) },
        `${path}.selectableFields`,
        {
          unchanged: isDeepStrictEqual(version.selectableFields, known?.selectableFields),
          missingSchema: 'may only be set when `version.schema.openAPIV3Schema` is not included',
        },
      ),
    ];
  });
}

/** Returns the parts of a version, its own or shared. */
function partsOf({ versions, shared }: InternalSpec, name: string | undefined): VersionParts | undefined {
  const version = versions.find((candidate) => candidate.name === name);
  return version && { ...version, ...shared };
}

function versionListErrors({ versions, areVersionsSet }: InternalSpec): FieldError[] {
  const names = new Set(versions.map(({ name }) => name));
  const shown = versions.length === 0 && !areVersionsSet ? 'null' : goJson(versions.map(internalVersion));
  const invalid = (detail: string): FieldError => ({
    reason: 'FieldValueInvalid',
    field: 'spec.versions',
    message: `Invalid value: ${shown}: ${detail}`,
  });
  return [
    ...(names.size < versions.length ? [invalid('must contain unique version names')] : []),
    ...(versions.filter(({ storage }) => storage).length === 1
      ? []
      : [invalid('must have exactly one version marked as storage version')]),
    ...firstVersionErrors(versions[0]?.name ?? ''),
  ];
}

/** The internal form has the name of the first version, too. */
function firstVersionErrors(name: string): FieldError[] {
  const details = name === '' ? [] : dns1035LabelErrors(name);
  return details.length > 0 ? [invalidField('spec.version', name, details.join(','))] : [];
}

function requiredNameErrors(names: DefinitionNames): FieldError[] {
  return (['plural', 'singular', 'kind', 'listKind'] as const)
    .filter((field) => !names[field])
    .map((field) => requiredField(`spec.names.${field}`, ''));
}

/** Returns the errors in names of a resource, in the spec or accepted. */
export function nameFieldErrors(names: DefinitionNames, path: string): FieldError[] {
  const { plural = '', singular = '', kind = '', listKind = '', shortNames = [], categories = [] } = names;
  const errors: FieldError[] = [];
  for (const [field, name] of Object.entries({ plural, singular })) {
    const details = dns1035LabelErrors(name);
    if (name !== '' && details.length > 0) errors.push(invalidField(`${path}.${field}`, name, details.join(',')));
  }
  for (const [field, name] of Object.entries({ kind, listKind })) {
    const details = dns1035LabelErrors(name.toLowerCase());
    if (name === '' || details.length === 0) continue;
    const detail = `may have mixed case, but should otherwise match: ${details.join(',')}`;
    errors.push(invalidField(`${path}.${field}`, name, detail));
  }
  const each = (field: string, values: readonly string[]): FieldError[] =>
    values.flatMap((name, index) => {
      const details = dns1035LabelErrors(name);
      return details.length === 0 ? [] : [invalidField(`${path}.${field}[${index}]`, name, details.join(','))];
    });
  errors.push(...each('shortNames', shortNames));
  if (kind !== '' && kind === listKind) {
    errors.push(invalidField(`${path}.listKind`, listKind, 'kind and listKind may not be the same'));
  }
  return [...errors, ...each('categories', categories)];
}

/** Returns the errors in the parts that all versions share. */
function sharedErrors(spec: InternalSpec, before: InternalSpec | undefined): FieldError[] {
  const { shared } = spec;
  const hasStatus = [shared, ...spec.versions].some(({ subresources }) => subresources?.status !== undefined);
  const known = before && partsOf(before, spec.versions[0]?.name);
  return [
    ...schemaErrorsOf(shared, known, { path: 'spec.validation', hasStatus }),
    ...subresourceErrors(shared.subresources, 'spec.subresources'),
    ...columnErrors(shared.additionalPrinterColumns, 'spec.additionalPrinterColumns'),
    ...selectableFieldErrors(shared, 'spec.selectableFields', {
      unchanged: isDeepStrictEqual(shared.selectableFields, known?.selectableFields),
      missingSchema: 'may only be set when validations.schema is included',
    }),
  ];
}

function schemaErrorsOf(
  { schema }: VersionParts,
  known: VersionParts | undefined,
  { path, hasStatus }: { readonly path: string; readonly hasStatus: boolean },
): FieldError[] {
  const root = schema?.openAPIV3Schema;
  if (!root) return [];
  const before = known?.schema?.openAPIV3Schema;
  const at = `${path}.openAPIV3Schema`;
  const errors = hasStatus ? rootErrors(root, at) : [];
  if (root.nullable) errors.push(forbiddenField(`${at}.nullable`, 'nullable cannot be true at the root'));
  const isSound = isConvertible(root);
  const structural = isSound ? structuralErrors(root, at) : [];
  // Only a structural schema has a form in which its defaults and rules can be judged.
  const unsound =
    structural.length > 0 || !isSound
      ? structural
      : defaultErrors(root, at, { requirePruned: true, ruleErrors: ruleErrorsOfDefault });
  const fields = schemaFieldErrors(root, { path: at, isRoot: true });
  errors.push(...unsound, ...fields);
  if (unsound.length > 0 || !isSound) return errors;
  const unchanged = before !== undefined && isDeepStrictEqual(root, before);
  const isFaulty = (place: string): boolean => fields.some(({ field }) => isAtOrBelow(field, place));
  return [...errors, ...ruleErrors(root, at, { unchanged, isFaulty })];
}

function isAtOrBelow(field: string, place: string): boolean {
  return field === place || field.startsWith(`${place}.`) || field.startsWith(`${place}[`);
}

function rootErrors(root: JsonSchema, path: string): FieldError[] {
  const set = Object.entries(internalSchema(root)).filter(
    ([, value]) => value !== null && value !== '' && value !== false,
  );
  const errors: FieldError[] = [];
  for (const [name] of set) {
    if (name === 'Type' && root.type !== 'object') {
      const rule =
        'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
      return [...errors, invalidField(`${path}.type`, root.type, rule)];
    }
    if (ROOT_FIELDS.includes(name)) continue;
    const rule = `only [${ROOT_FIELDS.join(' ')}] fields are allowed at the root of the schema if the status subresource is enabled`;
    const message = `Invalid value: ${goJson(internalSchema(root))}: ${rule}`;
    return [...errors, { reason: 'FieldValueInvalid', field: path, message }];
  }
  return errors;
}

function webhookErrors(
  { conversion, preserveUnknownFields }: InternalSpec,
  before: InternalSpec | undefined,
  previous: Change['previous'],
): FieldError[] {
  if (!conversion) return [];
  const errors: FieldError[] = [];
  if (conversion.strategy !== 'None' && preserveUnknownFields) {
    const rule = 'must be None if spec.preserveUnknownFields is true';
    errors.push(invalidField('spec.conversion.strategy', conversion.strategy, rule));
  }
  const old = before?.conversion?.webhook;
  const versions = old?.conversionReviewVersions ?? [];
  const oldBundle = old?.clientConfig?.caBundle;
  const requireKnownVersion = versions.length === 0 || versions.some((name) => name === 'v1' || name === 'v1beta1');
  const allowInvalidCaBundle =
    !hasCondition(previous, 'Established') || (oldBundle !== undefined && caBundleErrors(oldBundle, '').length > 0);
  return [...errors, ...conversionErrors(conversion, 'spec.conversion', { requireKnownVersion, allowInvalidCaBundle })];
}

function immutableErrors(spec: InternalSpec, before: InternalSpec | undefined, established: boolean): FieldError[] {
  if (!before) return [];
  const fields = (of: InternalSpec): Readonly<Record<string, string | undefined>> => ({
    ...(established && { 'spec.scope': of.scope, 'spec.names.kind': of.names?.kind }),
    'spec.group': of.group,
    'spec.names.plural': of.names?.plural,
  });
  const old = fields(before);
  return Object.entries(fields(spec))
    .filter(([path, value]) => value !== old[path])
    .map(([path, value]) => invalidField(path, value ?? '', 'field is immutable'));
}
