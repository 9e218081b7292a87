import type { FieldError } from '../../status.ts';
import { invalidField, requiredField, unsupportedField } from '../../status.ts';
import { listAt } from '../cells.ts';
import { dnsLabelErrors, qualifiedNameErrors } from '../names.ts';
import type { Change } from '../resource-type.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import { amountErrors } from './resources.ts';
import { nonNegative, oneOf } from './rules.ts';

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

/** Validates the taints of a Node. Upstream names them as part of the metadata. */
export function nodeErrors({ object }: Change): FieldError[] {
  return listAt(object, 'spec.taints').flatMap((taint, index) => {
    const field = `metadata.taints[${index}]`;
    const key = scalarText(valueAt(taint, 'key'));
    return [
      ...qualifiedNameErrors(key).map((detail) => invalidField(`${field}.key`, key, detail)),
      ...oneOf([`${field}.effect`, valueAt(taint, 'effect')], EFFECTS),
    ];
  });
}

/** Validates a RuntimeClass. */
export function runtimeClassErrors({ object }: Change): FieldError[] {
  const handler = object['handler'];
  const text = scalarText(handler);
  return dnsLabelErrors(text).map((detail) => invalidField('handler', text, detail));
}

/** Validates a ControllerRevision. */
export function controllerRevisionErrors({ object }: Change): FieldError[] {
  const missing = object['data'] === undefined ? [requiredField('data', 'data is mandatory')] : [];
  return [...nonNegative(['revision', object['revision']]), ...missing];
}

const COUNTED = new Set(
  'cpu memory storage ephemeral-storage pods services replicationcontrollers resourcequotas secrets configmaps persistentvolumeclaims services.nodeports services.loadbalancers requests.cpu requests.memory requests.storage requests.ephemeral-storage limits.cpu limits.memory limits.ephemeral-storage'.split(
    ' ',
  ),
);

/** Validates the hard limits of a ResourceQuota. */
export function quotaErrors({ object }: Change): FieldError[] {
  const hard = Object.entries((valueAt(object, 'spec.hard') ?? {}) as Record<string, unknown>);
  return hard.flatMap(([name, amount]) => {
    const field = `spec.hard[${name}]`;
    const isKnown = name.includes('/') || COUNTED.has(name) || name.includes('hugepages-');
    return [
      ...qualifiedNameErrors(name).map((detail) => invalidField(field, name, detail)),
      ...(isKnown ? [] : [invalidField(field, name, 'must be a standard resource for quota')]),
      ...amountErrors(field, name, amount),
    ];
  });
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
