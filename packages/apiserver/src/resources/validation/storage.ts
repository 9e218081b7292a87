import { isDeepStrictEqual } from 'node:util';
import type { FieldError } from '../../status.ts';
import { duplicateField, forbiddenField, invalidField, requiredField } from '../../status.ts';
import { listAt } from '../cells.ts';
import { qualifiedNameErrors, subdomainErrors } from '../names.ts';
import type { Change } from '../resource-type.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import { at, oneOf, required, requiredText, supported, text, unchanged, unique } from './rules.ts';
import { driverNameErrors } from './volume-source.ts';

/* Rules and messages follow `pkg/apis/storage/validation`. */

/** Validates a StorageClass. */
export function storageClassErrors({ object, previous }: Change): FieldError[] {
  const mode = ['volumeBindingMode', object['volumeBindingMode']] as const;
  const errors = [
    ...provisionerErrors('provisioner', object['provisioner']),
    ...parameterErrors(object['parameters'], { isOptional: true }),
    ...oneOf(['reclaimPolicy', object['reclaimPolicy']], ['Delete', 'Retain']),
    ...supported(mode, ['Immediate', 'WaitForFirstConsumer']),
    ...topologyErrors(listAt(object, 'allowedTopologies')),
  ];
  if (!previous) return errors;
  return [
    ...errors,
    ...['parameters', 'provisioner', 'reclaimPolicy'].flatMap((field) => fixedErrors(field, object, previous)),
    ...unchanged(mode, previous['volumeBindingMode']),
  ];
}

function fixedErrors(field: string, object: Change['object'], previous: Change['object']): FieldError[] {
  const isSame = isDeepStrictEqual(object[field] ?? '', previous[field] ?? '');
  return isSame ? [] : [forbiddenField(field, `updates to ${field} are forbidden.`)];
}

function provisionerErrors(field: string, value: unknown): FieldError[] {
  return requiredText([field, scalarText(value).toLowerCase()], qualifiedNameErrors);
}

const MOST_PARAMETERS = 512;
const LARGEST_PARAMETERS = 256 * 1024;

function parameterErrors(value: unknown, { isOptional }: { readonly isOptional: boolean }): FieldError[] {
  const entries = Object.entries((value ?? {}) as Record<string, string>);
  const tooLong = (limit: number): FieldError => ({
    reason: 'FieldValueTooLong',
    field: 'parameters',
    message: `Too long: may not be more than ${limit} bytes`,
  });
  if (entries.length > MOST_PARAMETERS) return [tooLong(MOST_PARAMETERS)];
  const size = entries.reduce((sum, [key, text_]) => sum + Buffer.byteLength(key) + Buffer.byteLength(text_), 0);
  return [
    ...entries.filter(([key]) => key === '').map(() => invalidField('parameters', '', 'field can not be empty.')),
    ...(size > LARGEST_PARAMETERS ? [tooLong(LARGEST_PARAMETERS)] : []),
    ...(!isOptional && entries.length === 0
      ? [requiredField('parameters', 'must contain at least one key/value pair')]
      : []),
  ];
}

function topologyErrors(terms: readonly unknown[]): FieldError[] {
  const forms = terms.map((term) => {
    const expressions = listAt(term, 'matchLabelExpressions');
    const pairs = expressions.map(
      (each) => [scalarText(valueAt(each, 'key')), listAt(each, 'values').toSorted()] as const,
    );
    return JSON.stringify(pairs.toSorted(([a], [b]) => (a === b ? 0 : a < b ? -1 : 1)));
  });
  return terms.flatMap((term, index) => {
    const field = `allowedTopologies[${index}].matchLabelExpressions`;
    // Upstream compares a term with as many empty ones too.
    const isEmptyTerm = forms[index] === '[]';
    const count =
      (isEmptyTerm ? terms.length : 0) + forms.slice(0, index).filter((form) => form === forms[index]).length;
    const expressions = listAt(term, 'matchLabelExpressions');
    const keys = expressions.map((each) => valueAt(each, 'key') ?? '');
    return [
      ...expressions.flatMap((each, at_) => {
        const values = listAt(each, 'values');
        const place = `${field}[${at_}]`;
        return [
          ...(values.length === 0 ? [requiredField(`${place}.values`, '')] : []),
          ...values.flatMap((_, nth) => unique(`${place}.values[${nth}]`, nth, values)),
          ...text([`${place}.key`, keys[at_]], qualifiedNameErrors),
          ...unique(`${place}.key`, at_, keys),
        ];
      }),
      ...Array.from({ length: count }, () => duplicateField(field, '')),
    ];
  });
}

/** Validates a VolumeAttributesClass. */
export function attributesClassErrors({ object, previous }: Change): FieldError[] {
  const changed = previous ? ['driverName', 'parameters'].flatMap((field) => fixedErrors(field, object, previous)) : [];
  return [
    ...changed,
    ...provisionerErrors('driverName', object['driverName']),
    ...parameterErrors(object['parameters'], { isOptional: false }),
  ];
}

/** Validates a VolumeAttachment. */
export function volumeAttachmentErrors({ object, previous, subresource }: Change): FieldError[] {
  if (subresource !== undefined) return [];
  const source = at(object['spec'], 'spec', 'source');
  const spec = object['spec'];
  const isChanged = previous !== undefined && !isDeepStrictEqual(spec, previous['spec']);
  const volume = valueAt(source[1], 'persistentVolumeName');
  return [
    ...required(at(spec, 'spec', 'attacher')),
    ...sourceErrors(...source),
    ...text(at(spec, 'spec', 'nodeName'), subdomainErrors),
    ...(isChanged ? [invalidField('spec', internal(spec), 'field is immutable')] : []),
    ...(previous ? [] : driverNameErrors(at(spec, 'spec', 'attacher'))),
    ...(previous || volume === undefined ? [] : text([`${source[0]}.persistentVolumeName`, volume], subdomainErrors)),
  ];
}

function sourceErrors(field: string, source: unknown): FieldError[] {
  const [inline, name] = ['inlineVolumeSpec', 'persistentVolumeName'].map((each) => valueAt(source, each));
  const rule = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';
  if (inline === undefined && name === undefined) return [requiredField(field, rule)];
  if (inline !== undefined && name !== undefined) return [forbiddenField(field, rule)];
  if (name !== '') return [];
  return [requiredField(`${field}.persistentVolumeName`, 'must specify non empty persistentVolumeName')];
}

/** Returns the spec of an attachment as the internal type of upstream writes it. */
function internal(spec: unknown): object {
  const name = valueAt(spec, 'source.persistentVolumeName') ?? null;
  return {
    Attacher: scalarText(valueAt(spec, 'attacher')),
    Source: { PersistentVolumeName: name, InlineVolumeSpec: valueAt(spec, 'source.inlineVolumeSpec') ?? null },
    NodeName: scalarText(valueAt(spec, 'nodeName')),
  };
}
