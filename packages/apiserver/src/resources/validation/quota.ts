import type { FieldError } from '../../status.ts';
import { invalidField, requiredField } from '../../status.ts';
import { listAt } from '../cells.ts';
import type { Change } from '../resource-type.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import { isQuotaResource, resourceNameErrors } from './resource-names.ts';
import { amountErrors } from './resources.ts';
import { IMMUTABLE } from './rules.ts';

const COMPUTED = ['cpu', 'memory', 'limits.cpu', 'limits.memory', 'requests.cpu', 'requests.memory'];
const OF_PODS = ['pods', ...COMPUTED];
const OF_CLAIMS = ['persistentvolumeclaims', 'requests.storage'];
/** Resources that a scope can limit. */
const SCOPED: Readonly<Record<string, readonly string[]>> = {
  Terminating: OF_PODS,
  NotTerminating: OF_PODS,
  NotBestEffort: OF_PODS,
  PriorityClass: OF_PODS,
  CrossNamespacePodAffinity: OF_PODS,
  BestEffort: ['pods'],
  VolumeAttributesClass: OF_CLAIMS,
};

const WITHOUT_VALUES = ['BestEffort', 'NotBestEffort', 'Terminating', 'NotTerminating', 'CrossNamespacePodAffinity'];
const CONFLICTS = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
];

/** Validates a ResourceQuota (upstream: `ValidateResourceQuota` and its updates). */
export function quotaErrors({ object, previous, subresource }: Change): FieldError[] {
  if (subresource === 'status') {
    return ['hard', 'used'].flatMap((part) => amountsErrors(`status.${part}`, valueAt(object, `status.${part}`)));
  }
  const hard = valueAt(object, 'spec.hard');
  const names = Object.keys(hard ?? {}).toSorted();
  const scopes = listAt(object, 'spec.scopes').map(scalarText);
  const before = new Set(listAt(previous, 'spec.scopes').map(scalarText));
  const isSame = before.size === new Set(scopes).size && scopes.every((scope) => before.has(scope));
  return [
    ...amountsErrors('spec.hard', hard),
    ...scopesErrors(scopes, names),
    ...selectorErrors(valueAt(object, 'spec.scopeSelector'), names, scopes),
    ...(previous && !isSame ? [invalidField('spec.scopes', valueAt(object, 'spec.scopes'), IMMUTABLE)] : []),
  ];
}

function amountsErrors(path: string, amounts: unknown): FieldError[] {
  return Object.entries((amounts ?? {}) as Record<string, unknown>).flatMap(([name, amount]) => {
    const field = `${path}[${name}]`;
    const isKnown = name.includes('/') || isQuotaResource(name);
    return [
      ...resourceNameErrors(field, name),
      ...(isKnown ? [] : [invalidField(field, name, 'must be a standard resource for quota')]),
      ...amountErrors(field, name, amount),
    ];
  });
}

function unscoped(scope: string, names: readonly string[]): readonly string[] {
  const allowed = SCOPED[scope];
  return allowed ? names.filter((name) => isQuotaResource(name) && !allowed.includes(name)) : [];
}

function conflictErrors(field: string, found: readonly string[], shown: readonly string[]): FieldError[] {
  return CONFLICTS.filter((pair) => pair.every((scope) => found.includes(scope))).map(() =>
    invalidField(field, shown.length > 0 ? shown : null, 'conflicting scopes'),
  );
}

function scopesErrors(scopes: readonly string[], names: readonly string[]): FieldError[] {
  const field = 'spec.scopes';
  const errors = scopes.flatMap((scope) => [
    ...(Object.hasOwn(SCOPED, scope) ? [] : [invalidField(field, scopes, 'unsupported scope')]),
    ...unscoped(scope, names).map(() => invalidField(field, scopes, 'unsupported scope applied to resource')),
  ]);
  return [...errors, ...conflictErrors(field, scopes, scopes)];
}

/** Upstream leaves the indexes out of the paths. */
function selectorErrors(selector: unknown, names: readonly string[], scopes: readonly string[]): FieldError[] {
  if (selector === undefined) return [];
  const field = 'spec.scopeSelector.matchExpressions';
  const expressions = listAt(selector, 'matchExpressions');
  const found = expressions.map((each) => scalarText(valueAt(each, 'scopeName')));
  const errors = expressions.flatMap((expression, index) => {
    const scope = found[index] ?? '';
    const operator = scalarText(valueAt(expression, 'operator'));
    return [
      ...(Object.hasOwn(SCOPED, scope) ? [] : [invalidField(`${field}.scopeName`, scope, 'unsupported scope')]),
      ...unscoped(scope, names).map(() =>
        invalidField(field, internal(selector), 'unsupported scope applied to resource'),
      ),
      ...(WITHOUT_VALUES.includes(scope) && operator !== 'Exists'
        ? [invalidField(`${field}.operator`, operator, MUST_EXIST)]
        : []),
      ...operatorErrors(field, operator, valueAt(expression, 'values')),
    ];
  });
  return [...errors, ...conflictErrors(field, found, scopes)];
}

const MUST_EXIST =
  "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";

const COUNTS = { some: 'at least one value', none: 'no value' };

function operatorErrors(field: string, operator: string, values: unknown): FieldError[] {
  const count = Array.isArray(values) ? values.length : 0;
  switch (operator) {
    case 'In':
    case 'NotIn': {
      const detail = `must be ${COUNTS.some} when \`operator\` is 'In' or 'NotIn' for scope selector`;
      return count === 0 ? [requiredField(`${field}.values`, detail)] : [];
    }
    case 'Exists':
    case 'DoesNotExist': {
      const detail = `must be ${COUNTS.none} when \`operator\` is 'Exist' or 'DoesNotExist' for scope selector`;
      return count > 0 ? [invalidField(`${field}.values`, values, detail)] : [];
    }
    default:
      return [invalidField(`${field}.operator`, operator, 'not a valid selector operator')];
  }
}

/** Returns a selector as the internal type of upstream writes it. */
function internal(selector: unknown): object {
  const expressions = listAt(selector, 'matchExpressions').map((each) => ({
    ScopeName: scalarText(valueAt(each, 'scopeName')),
    Operator: scalarText(valueAt(each, 'operator')),
    Values: valueAt(each, 'values') ?? null,
  }));
  return { MatchExpressions: expressions };
}
