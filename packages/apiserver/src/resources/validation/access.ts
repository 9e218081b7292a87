import type { FieldError } from '../../status.ts';
import { forbiddenField, invalidField, requiredField } from '../../status.ts';
import type { ApiObject } from '../../storage/stored-object.ts';
import type { Change } from '../resource-type.ts';
import { valueAt } from '../resource-type.ts';
import { supported, unchanged } from './rules.ts';

const HIGHEST_PRIORITY = 1_000_000_000;
const SYSTEM: Readonly<Record<string, number>> = {
  'system-node-critical': 2_000_001_000,
  'system-cluster-critical': 2_000_000_000,
};

/** Validates a PriorityClass (upstream: `ValidatePriorityClass`). */
export function priorityClassErrors({ object, previous }: Change): FieldError[] {
  if (previous) return changedPriorityErrors(object, previous);
  const { name } = object.metadata;
  const value = Number(object['value'] ?? 0);
  const errors: FieldError[] = [];
  if (name.startsWith('system-') && SYSTEM[name] !== value) {
    const detail = `priority class names with 'system-' prefix are reserved for system use only. error: ${name} is not a known system priority class`;
    errors.push(forbiddenField('metadata.name', detail));
  } else if (!name.startsWith('system-') && value > HIGHEST_PRIORITY) {
    errors.push(forbiddenField('value', `maximum allowed value of a user defined priority is ${HIGHEST_PRIORITY}`));
  }
  errors.push(...preemptionErrors(object['preemptionPolicy']));
  return errors;
}

/** An update is judged only by what changes (upstream: `ValidatePriorityClassUpdate`). */
function changedPriorityErrors(object: ApiObject, previous: ApiObject): FieldError[] {
  const isChanged = previous['value'] !== object['value'];
  return [
    ...(isChanged ? [forbiddenField('value', 'may not be changed in an update.')] : []),
    ...unchanged(['preemptionPolicy', object['preemptionPolicy']], previous['preemptionPolicy']),
  ];
}

function preemptionErrors(policy: unknown): FieldError[] {
  if (policy === '') return [requiredField('preemptionPolicy', '')];
  return supported(['preemptionPolicy', policy], ['PreemptLowerPriority', 'Never']);
}

/** Validates a Lease. */
export function leaseErrors({ object }: Change): FieldError[] {
  const duration = valueAt(object, 'spec.leaseDurationSeconds');
  const transitions = valueAt(object, 'spec.leaseTransitions');
  const isShort = typeof duration === 'number' && duration <= 0;
  const isNegative = typeof transitions === 'number' && transitions < 0;
  return [
    ...(isShort ? [invalidField('spec.leaseDurationSeconds', duration, 'must be greater than 0')] : []),
    ...(isNegative ? [invalidField('spec.leaseTransitions', transitions, 'must be greater than or equal to 0')] : []),
  ];
}
