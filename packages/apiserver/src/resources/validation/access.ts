import type { FieldError } from '../../status.ts';
import { forbiddenField, invalidField, requiredField } from '../../status.ts';
import type { Change } from '../resource-type.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import { oneOf } from './rules.ts';

const HIGHEST_PRIORITY = 1_000_000_000;
const SYSTEM: Readonly<Record<string, number>> = {
  'system-node-critical': 2_000_001_000,
  'system-cluster-critical': 2_000_000_000,
};

/** Validates a PriorityClass (upstream: `ValidatePriorityClass`). */
export function priorityClassErrors({ object, previous }: Change): FieldError[] {
  const { name } = object.metadata;
  const value = Number(object['value'] ?? 0);
  const errors: FieldError[] = [];
  if (name.startsWith('system-') && SYSTEM[name] !== value) {
    const detail = `priority class names with 'system-' prefix are reserved for system use only. error: ${name} is not a known system priority class`;
    errors.push(forbiddenField('metadata.name', detail));
  } else if (!name.startsWith('system-') && value > HIGHEST_PRIORITY) {
    errors.push(forbiddenField('value', `maximum allowed value of a user defined priority is ${HIGHEST_PRIORITY}`));
  }
  errors.push(...oneOf(['preemptionPolicy', object['preemptionPolicy']], ['Never', 'PreemptLowerPriority']));
  if (previous && previous['value'] !== object['value']) {
    errors.push(forbiddenField('value', 'may not be changed in an update.'));
  }
  return errors;
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

const SECRET_KEYS: Readonly<Record<string, readonly string[]>> = {
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
  'kubernetes.io/dockercfg': ['.dockercfg'],
  'kubernetes.io/ssh-auth': ['ssh-privatekey'],
};

/** Validates what the type of a Secret requires (upstream: `ValidateSecret`). */
export function secretTypeErrors({ object }: Change): FieldError[] {
  const type = scalarText(object['type']);
  const data = (object['data'] ?? {}) as Record<string, unknown>;
  const account = 'kubernetes.io/service-account.name';
  if (type === 'kubernetes.io/service-account-token' && !object.metadata.annotations?.[account]) {
    return [requiredField(`metadata.annotations[${account}]`, '')];
  }
  if (type === 'kubernetes.io/basic-auth') {
    const isMissing = ['username', 'password'].every((key) => data[key] === undefined);
    return isMissing ? [requiredField('data[username]', ''), requiredField('data[password]', '')] : [];
  }
  return (SECRET_KEYS[type] ?? []).flatMap((key) => {
    if (data[key] === undefined) return [requiredField(`data[${key}]`, '')];
    return key.startsWith('.docker') ? jsonErrors(`data[${key}]`, scalarText(data[key])) : [];
  });
}

function jsonErrors(field: string, base64: string): FieldError[] {
  const text = Buffer.from(base64, 'base64').toString();
  try {
    JSON.parse(text);
    return [];
  } catch {
    const at = JSON.stringify(text.trimStart().charAt(0)).slice(1, -1);
    const detail = `invalid character '${at}' looking for beginning of value`;
    return [invalidField(field, '<secret contents redacted>', detail)];
  }
}
