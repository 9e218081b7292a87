import type { FieldError } from '../../status.ts';
import { invalidField, requiredField, unsupportedField } from '../../status.ts';
import { dnsLabelErrors } from '../names.ts';
import type { Change } from '../resource-type.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import { nonNegative, unchanged } from './rules.ts';

/** Validates a RuntimeClass. */
export function runtimeClassErrors({ object, previous }: Change): FieldError[] {
  const handler = object['handler'];
  const text = scalarText(handler);
  return [
    ...dnsLabelErrors(text).map((detail) => invalidField('handler', text, detail)),
    ...(previous ? unchanged(['handler', handler], previous['handler']) : []),
  ];
}

/** Validates a ControllerRevision. */
export function controllerRevisionErrors({ object, previous }: Change): FieldError[] {
  const { data } = object;
  return [
    ...nonNegative(['revision', object['revision']]),
    ...(previous ? unchanged(['data', data], previous['data']) : revisionDataErrors(data)),
  ];
}

function revisionDataErrors(data: unknown): FieldError[] {
  if (data === undefined || data === null) return [requiredField('data', 'data is mandatory')];
  if (typeof data === 'object' && !Array.isArray(data)) return [];
  return [requiredField('data', 'data must be a valid JSON object')];
}

/** Validates how the response to requests above the limit of a priority level is chosen. */
export function priorityLevelErrors({ object }: Change): FieldError[] {
  const type = valueAt(object, 'spec.type');
  if (type !== 'Limited' && type !== 'Exempt') {
    return [unsupportedField('spec.type', type ?? '', ['Exempt', 'Limited'])];
  }
  const response = valueAt(object, 'spec.limited.limitResponse');
  if (valueAt(response, 'type') !== 'Queue' || valueAt(response, 'queuing') !== undefined) return [];
  const detail = 'must not be empty if limited.limitResponse.type is Limited';
  return [requiredField('spec.limited.limitResponse.queuing', detail)];
}
