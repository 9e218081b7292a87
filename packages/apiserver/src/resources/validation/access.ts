import type { FieldError } from '../../status.ts';
import { forbiddenField, invalidField, requiredField, unsupportedField } from '../../status.ts';
import { listAt } from '../cells.ts';
import type { Change } from '../resource-type.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import { at, oneOf, required } from './rules.ts';

/** Returns the validation of roles (upstream: `ValidatePolicyRule`). */
export function roleErrors(isNamespaced: boolean): (change: Change) => FieldError[] {
  return ({ object }) =>
    listAt(object, 'rules').flatMap((rule, index) => ruleErrors(`rules[${index}]`, rule, isNamespaced));
}

function ruleErrors(field: string, rule: unknown, isNamespaced: boolean): FieldError[] {
  const [verbs, urls, groups, resources] = ['verbs', 'nonResourceURLs', 'apiGroups', 'resources'].map((name) =>
    listAt(rule, name),
  );
  const errors: FieldError[] = [];
  if (verbs?.length === 0) errors.push(requiredField(`${field}.verbs`, 'verbs must contain at least one value'));
  if (urls !== undefined && urls.length > 0) {
    const isMixed = [groups, resources, listAt(rule, 'resourceNames')].some((list) => (list?.length ?? 0) > 0);
    if (isNamespaced) {
      errors.push(invalidField(`${field}.nonResourceURLs`, urls, 'namespaced rules cannot apply to non-resource URLs'));
    }
    if (isMixed) {
      const detail = 'rules cannot apply to both regular resources and non-resource URLs';
      errors.push(invalidField(`${field}.nonResourceURLs`, urls, detail));
    }
    return errors;
  }
  if (groups?.length === 0) {
    errors.push(requiredField(`${field}.apiGroups`, 'resource rules must supply at least one api group'));
  }
  if (resources?.length === 0) {
    errors.push(requiredField(`${field}.resources`, 'resource rules must supply at least one resource'));
  }
  return errors;
}

/** Returns the validation of bindings to roles of these kinds. */
export function bindingErrors(roles: readonly string[]): (change: Change) => FieldError[] {
  return ({ object }) => [
    ...oneOf(at(object['roleRef'], 'roleRef', 'apiGroup'), ['rbac.authorization.k8s.io']),
    ...kindErrors('roleRef.kind', valueAt(object['roleRef'], 'kind') ?? '', roles),
    ...required(at(object['roleRef'], 'roleRef', 'name')),
    ...listAt(object, 'subjects').flatMap((subject, index) =>
      subjectErrors(`subjects[${index}]`, subject, roles.length > 1),
    ),
  ];
}

function subjectErrors(field: string, subject: unknown, isNamespaced: boolean): FieldError[] {
  const kinds = ['ServiceAccount', 'User', 'Group'];
  const isAccount = valueAt(subject, 'kind') === 'ServiceAccount';
  return [
    ...required(at(subject, field, 'name')),
    ...kindErrors(`${field}.kind`, valueAt(subject, 'kind') ?? '', kinds),
    ...(isAccount && !isNamespaced ? required(at(subject, field, 'namespace')) : []),
  ];
}

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

/** A kind must be there, but the error is that of an unsupported value. */
function kindErrors(field: string, value: unknown, supported: readonly string[]): FieldError[] {
  return supported.includes(value as string) ? [] : [unsupportedField(field, value, supported)];
}
