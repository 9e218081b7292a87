import { isDeepStrictEqual } from 'node:util';
import type { FieldError } from '../../status.ts';
import { forbiddenField, invalidField, requiredField, unsupportedField } from '../../status.ts';
import type { JsonObject } from '../../storage/stored-object.ts';
import { listAt } from '../cells.ts';
import { labelFieldErrors, subdomainErrors } from '../names.ts';
import { formatQuantity, parseQuantity } from '../quantity.ts';
import { claimSpecWarnings } from '../warnings/claim.ts';
import type { Change } from '../resource-type.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import { at, dnsLabel, isEmpty, required, subdomain, supported, text, unchanged } from './rules.ts';
import { selectorErrors } from './selector.ts';

const MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];

/** Validates a PersistentVolumeClaim (upstream: `ValidatePersistentVolumeClaim` and its update). */
export function claimErrors({ object, previous, subresource, warn }: Change): FieldError[] {
  if (subresource === 'status') return [];
  const spec = object['spec'] as JsonObject;
  const errors = [...claimSpecErrors('spec', spec), ...(previous ? changeErrors(object, previous) : [])];
  if (errors.length === 0) for (const warning of claimWarnings(object)) warn?.(warning);
  return errors;
}

/** Validates the spec of a claim (upstream: `ValidatePersistentVolumeClaimSpec`). */
export function claimSpecErrors(path: string, spec: unknown): FieldError[] {
  const place = (field: string): readonly [string, unknown] => at(spec, path, field);
  const isEmptyList = listAt(spec, 'accessModes').length === 0;
  return [
    ...(isEmptyList ? [requiredField(`${path}.accessModes`, 'at least 1 access mode is required')] : []),
    ...selectorErrors(place('selector')),
    ...accessModeErrors(`${path}.accessModes`, spec),
    ...storageErrors(`${path}.resources[storage]`, valueAt(spec, 'resources.requests.storage')),
    ...subdomain(place('storageClassName')),
    ...supported(place('volumeMode'), ['Block', 'Filesystem']),
    ...dataSourceErrors(...place('dataSource')),
    ...dataSourceErrors(...place('dataSourceRef')),
    ...sameSourceErrors(path, spec),
    ...subdomain(place('volumeAttributesClassName')),
  ];
}

/** Validates the template of a claim (upstream: `ValidatePersistentVolumeClaimTemplate`). */
export function claimTemplateErrors(path: string, template: unknown): FieldError[] {
  const labels = (valueAt(template, 'metadata.labels') ?? {}) as Record<string, string>;
  return [
    ...labelFieldErrors(labels).map((error) => ({ ...error, field: `${path}.${error.field}` })),
    ...claimSpecErrors(`${path}.spec`, valueAt(template, 'spec')),
  ];
}

/** Validates the access modes of a claim or a volume. */
export function accessModeErrors(field: string, spec: unknown): FieldError[] {
  const modes = listAt(spec, 'accessModes').map(scalarText);
  const isMixed = modes.includes('ReadWriteOncePod') && modes.some((mode) => MODES.slice(0, 3).includes(mode));
  return [
    ...modes.filter((mode) => !MODES.includes(mode)).map((mode) => unsupportedField(field, mode, MODES)),
    ...(isMixed ? [forbiddenField(field, 'may not use ReadWriteOncePod with other access modes')] : []),
  ];
}

function storageErrors(field: string, storage: unknown): FieldError[] {
  if (storage === undefined) return [requiredField(field, '')];
  const amount = parseQuantity(storage);
  if (amount && amount.nano > 0n) return [];
  return [invalidField(field, amount ? formatQuantity(amount) : '0', 'must be greater than zero')];
}

function dataSourceErrors(field: string, source: unknown): FieldError[] {
  if (source === undefined) return [];
  const [kind, group] = ['kind', 'apiGroup'].map((name) => scalarText(valueAt(source, name)));
  const isOther = !group && kind !== 'PersistentVolumeClaim';
  const rule = "must be 'PersistentVolumeClaim' when referencing the default apiGroup";
  return [
    ...required(at(source, field, 'name')),
    ...required(at(source, field, 'kind')),
    ...(isOther ? [invalidField(field, kind, rule)] : []),
    ...(group ? text([`${field}.apiGroup`, group], subdomainErrors) : []),
    ...dnsLabel(at(source, field, 'namespace')),
  ];
}

function sameSourceErrors(path: string, spec: unknown): FieldError[] {
  const [source, reference] = ['dataSource', 'dataSourceRef'].map((field) => valueAt(spec, field));
  if (source === undefined || reference === undefined) return [];
  // Upstream shows the path of the field, which is an empty object in JSON.
  if (!isEmpty(valueAt(reference, 'namespace'))) {
    return [invalidField(path, {}, 'may not be specified when dataSourceRef.namespace is specified')];
  }
  const isSame = ['apiGroup', 'kind', 'name'].every(
    (field) => (valueAt(source, field) ?? '') === (valueAt(reference, field) ?? ''),
  );
  return isSame ? [] : [invalidField(path, {}, 'must match dataSourceRef')];
}

const BETA_CLASS = 'volume.beta.kubernetes.io/storage-class';

function changeErrors(object: Change['object'], previous: Change['object']): FieldError[] {
  const [spec, before] = [object['spec'] as JsonObject, previous['spec'] as JsonObject];
  const [annotation, earlier] = [object, previous].map(({ metadata }) => metadata.annotations?.[BETA_CLASS] ?? '');
  const errors = unchanged([`metadata.annotations[${BETA_CLASS}]`, annotation], earlier);
  if (!isDeepStrictEqual(fixed(spec, previous), fixed(before, previous))) {
    const detail =
      'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';
    errors.push(forbiddenField('spec', detail));
  }
  const [size, was] = [spec, before].map((each) => amountOf(each, 'resources.requests.storage'));
  if ((size ?? 0n) < (was ?? 0n) && (size ?? 0n) <= amountOf(previous, 'status.capacity.storage')) {
    errors.push(forbiddenField('spec.resources.requests.storage', 'field can not be less than status.capacity'));
  }
  errors.push(...unchanged(['volumeMode', spec['volumeMode']], before['volumeMode']));
  if (valueAt(previous, 'status.currentVolumeAttributesClassName') === undefined) return errors;
  if (isEmpty(spec['volumeAttributesClassName'])) {
    const to = spec['volumeAttributesClassName'] === '' ? 'empty string' : 'nil';
    const detail = `update to ${to} is forbidden when status.currentVolumeAttributesClassName is not nil`;
    errors.push(forbiddenField('spec.volumeAttributesClassName', detail));
  }
  return errors;
}

function amountOf(object: unknown, path: string): bigint {
  return parseQuantity(valueAt(object, path))?.nano ?? 0n;
}

/** Returns the part of a claim's spec that does not change. A claim without a volume or class may get one. */
function fixed(spec: JsonObject, previous: Change['object']): object {
  const before = previous['spec'] as JsonObject;
  const isBound = valueAt(previous, 'status.phase') === 'Bound';
  const { volumeName, storageClassName, volumeAttributesClassName, resources, ...rest } = spec;
  const storage = amountOf(spec, 'resources.requests.storage');
  return {
    ...rest,
    volumeName: before['volumeName'] ? volumeName : undefined,
    storageClassName: before['storageClassName'] === undefined ? undefined : storageClassName,
    ...(!isBound && { volumeAttributesClassName, storage }),
    resources: withoutStorage(resources),
  };
}

function withoutStorage(resources: unknown): unknown {
  const { storage: _, ...requests } = (valueAt(resources, 'requests') ?? {}) as JsonObject;
  return { ...(resources as object), requests };
}

function claimWarnings({ metadata, spec }: Change['object']): string[] {
  const annotation = metadata.annotations?.[BETA_CLASS];
  const deprecated = `metadata.annotations[${BETA_CLASS}]: deprecated since v1.8; use "storageClassName" attribute instead`;
  return [...(annotation === undefined ? [] : [deprecated]), ...claimSpecWarnings('spec', spec)];
}
