import type { FieldError } from '../../../status.ts';
import { forbiddenField, invalidField, requiredField, unsupportedField } from '../../../status.ts';
import { listAt } from '../../cells.ts';
import { annotationFieldErrors, dnsLabelErrors, subdomainErrors } from '../../names.ts';
import type { Change } from '../../resource-type.ts';
import { scalarText, valueAt } from '../../resource-type.ts';
import { at, labels, requiredText, text } from '../rules.ts';
import { adminRequestErrors } from './admin-access.ts';
import { configurationErrors } from './configuration.ts';
import { internalClaimSpec, internalTemplateSpec, isSameValue, isUnset, METADATA_FIELDS } from './internal.ts';
import { listErrors } from './lists.ts';
import type { RequestNames } from './names.ts';
import { domainNameErrors, requestNames, requestReferenceErrors } from './names.ts';
import { selectorsErrors } from './selector.ts';

/** Rules and messages follow `pkg/apis/resource/validation`. Fields whose feature gates are off were dropped before. */

export const MOST_REQUESTS = 32;
const MOST_ALTERNATIVES = 8;
const MODES = ['All', 'ExactCount'];
const IMMUTABLE = 'field is immutable';

/** Validates a ResourceClaim. The spec never changes, so an update only checks that. */
export function deviceClaimErrors(change: Change): FieldError[] {
  const { object, previous } = change;
  const spec = object['spec'];
  if (!previous) return [...adminRequestErrors(change, spec), ...specErrors('spec', spec)];
  return unchangedErrors(internalClaimSpec(spec), internalClaimSpec(previous['spec']));
}

/** Validates a ResourceClaimTemplate. */
export function deviceClaimTemplateErrors(change: Change): FieldError[] {
  const { object, previous } = change;
  const spec = object['spec'];
  return [
    ...(previous ? [] : adminRequestErrors(change, valueAt(spec, 'spec'))),
    ...templateMetadataErrors('spec.metadata', valueAt(spec, 'metadata')),
    ...specErrors('spec.spec', valueAt(spec, 'spec')),
    ...(previous ? unchangedErrors(internalTemplateSpec(spec), internalTemplateSpec(previous['spec'])) : []),
  ];
}

function unchangedErrors(value: unknown, before: unknown): FieldError[] {
  return isSameValue(value, before) ? [] : [invalidField('spec', value, IMMUTABLE)];
}

const TEMPLATE_FIELDS = ['annotations', 'labels'];

/** A template may only have labels and annotations (upstream: `ValidateTemplateObjectMeta`). */
function templateMetadataErrors(path: string, metadata: unknown): FieldError[] {
  const annotations = (valueAt(metadata, 'annotations') ?? {}) as Record<string, string>;
  return [
    ...annotationFieldErrors(annotations).map((error) => ({ ...error, field: `${path}.annotations` })),
    ...labels(at(metadata, path, 'labels')),
    ...METADATA_FIELDS.filter((field) => !TEMPLATE_FIELDS.includes(field) && !isUnset(valueAt(metadata, field))).map(
      (field) => forbiddenField(`${path}.${field === 'uid' ? 'uID' : field}`, 'cannot be set'),
    ),
  ];
}

function specErrors(path: string, spec: unknown): FieldError[] {
  const field = `${path}.devices`;
  const devices = valueAt(spec, 'devices');
  const known = requestNames(devices);
  return [
    ...listErrors(`${field}.requests`, listAt(devices, 'requests'), {
      limit: MOST_REQUESTS,
      item: requestErrors,
      key: nameOf,
    }),
    ...listErrors(`${field}.constraints`, listAt(devices, 'constraints'), {
      limit: MOST_REQUESTS,
      item: (place, constraint) => constraintErrors(place, constraint, known),
    }),
    ...listErrors(`${field}.config`, listAt(devices, 'config'), {
      limit: MOST_REQUESTS,
      item: (place, configuration) => [
        ...referencesErrors(place, configuration, known),
        ...configurationErrors(place, configuration),
      ],
    }),
  ];
}

const nameOf = (value: unknown): string => scalarText(valueAt(value, 'name'));

function requestErrors(field: string, request: unknown): FieldError[] {
  const alternatives = listAt(request, 'firstAvailable');
  const exactly = valueAt(request, 'exactly');
  const errors = text(at(request, field, 'name'), dnsLabelErrors);
  const which = 'exactly one of `exactly` or `firstAvailable` is required';
  if (alternatives.length > 0 && exactly !== undefined) {
    return [...errors, invalidField(field, null, `${which}, but multiple fields are set`)];
  }
  if (alternatives.length > 0) {
    const rules = { limit: MOST_ALTERNATIVES, item: alternativeErrors, key: nameOf };
    return [...errors, ...listErrors(`${field}.firstAvailable`, alternatives, rules)];
  }
  if (exactly === undefined) return [...errors, requiredField(field, which)];
  return [...errors, ...devicesErrors(`${field}.exactly`, exactly)];
}

function alternativeErrors(field: string, request: unknown): FieldError[] {
  return [...text(at(request, field, 'name'), dnsLabelErrors), ...devicesErrors(field, request)];
}

/** Validates which devices, and how many, a request asks for. */
function devicesErrors(field: string, request: unknown): FieldError[] {
  return [
    ...requiredText(at(request, field, 'deviceClassName'), subdomainErrors),
    ...selectorsErrors(at(request, field, 'selectors')),
    ...modeErrors(field, request),
  ];
}

function modeErrors(field: string, request: unknown): FieldError[] {
  const mode = scalarText(valueAt(request, 'allocationMode'));
  const count = Number(valueAt(request, 'count') ?? 0);
  const place = `${field}.count`;
  switch (mode) {
    case 'All':
      return count === 0 ? [] : [invalidField(place, count, "must not be specified when allocationMode is 'All'")];
    case 'ExactCount':
      return count > 0 ? [] : [invalidField(place, count, 'must be greater than zero')];
    default:
      return [unsupportedField(`${field}.allocationMode`, mode, MODES)];
  }
}

function constraintErrors(field: string, constraint: unknown, known: RequestNames): FieldError[] {
  const [place, attribute] = at(constraint, field, 'matchAttribute');
  return [
    ...referencesErrors(field, constraint, known),
    ...(attribute === undefined ? [requiredField(place, '')] : domainNameErrors(place, scalarText(attribute))),
  ];
}

/** Validates the names of requests that a constraint or a configuration is for. */
export function referencesErrors(field: string, owner: unknown, known: RequestNames): FieldError[] {
  return listErrors(`${field}.requests`, listAt(owner, 'requests'), {
    limit: MOST_REQUESTS,
    item: (place, name) => requestReferenceErrors(place, scalarText(name), known),
    key: scalarText,
  });
}
