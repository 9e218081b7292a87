import type { FieldError } from '../../status.ts';
import { forbiddenField, invalidField, requiredField, unsupportedField } from '../../status.ts';
import { internalValue } from '../internal/internal-value.ts';
import { valueAt } from '../resource-type.ts';
import { at, nonNegative } from './rules.ts';

/** How workloads replace their Pods (upstream: `pkg/apis/apps/validation`). */

type Place = readonly [field: string, value: unknown];

const PERCENT = /^\d+%$/u;

/** Validates a number or a percentage (upstream: `ValidatePositiveIntOrPercent`). */
export function rollingErrors(field: string, value: unknown): FieldError[] {
  if (typeof value === 'number') return nonNegative([field, value]);
  if (typeof value !== 'string' || PERCENT.test(value)) return [];
  const detail =
    "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";
  return [invalidField(field, value, detail)];
}

/** A percentage must not be more than 100%. */
function notAboveAll([field, value]: Place): FieldError[] {
  const isAbove = typeof value === 'string' && PERCENT.test(value) && amount(value) > 100;
  return isAbove ? [invalidField(field, value, 'must not be greater than 100%')] : [];
}

/** The number before the unit. Texts that are not numbers count as 0. */
function amount(value: unknown): number {
  if (typeof value !== 'string') return Number(value ?? 0);
  return PERCENT.test(value) || /^[+-]?\d+$/u.test(value) ? Number.parseInt(value, 10) : 0;
}

/** Validates the strategy of a Deployment (upstream: `ValidateDeploymentStrategy`). */
export function deploymentStrategyErrors([field, strategy]: Place): FieldError[] {
  const [type, rolling] = ['type', 'rollingUpdate'].map((name) => valueAt(strategy, name));
  const own = `${field}.rollingUpdate`;
  if (type === 'Recreate') {
    const detail = "may not be specified when strategy `type` is 'Recreate'";
    return rolling === undefined ? [] : [forbiddenField(own, detail)];
  }
  if (type !== 'RollingUpdate') {
    return [unsupportedField(field, internalValue('DeploymentStrategy', strategy), ['Recreate', 'RollingUpdate'])];
  }
  const [surge, unavailable] = [at(rolling, own, 'maxSurge'), at(rolling, own, 'maxUnavailable')];
  const isStuck = amount(surge[1]) === 0 && amount(unavailable[1]) === 0;
  return [
    ...rollingErrors(...unavailable),
    ...rollingErrors(...surge),
    ...(isStuck ? [invalidField(unavailable[0], unavailable[1], 'may not be 0 when `maxSurge` is 0')] : []),
    ...notAboveAll(unavailable),
  ];
}

/** Validates the strategy of a DaemonSet (upstream: `ValidateDaemonSetUpdateStrategy`). */
export function daemonSetStrategyErrors([field, strategy]: Place): FieldError[] {
  const [type, rolling] = ['type', 'rollingUpdate'].map((name) => valueAt(strategy, name));
  if (type === 'OnDelete') return [];
  if (type !== 'RollingUpdate') {
    return [unsupportedField(field, internalValue('DaemonSetUpdateStrategy', strategy), ['RollingUpdate', 'OnDelete'])];
  }
  const own = `${field}.rollingUpdate`;
  const [surge, unavailable] = [at(rolling, own, 'maxSurge'), at(rolling, own, 'maxUnavailable')];
  const errors = [
    ...[unavailable, surge].flatMap((place) => rollingErrors(...place)),
    ...[unavailable, surge].flatMap(notAboveAll),
  ];
  const [surges, lacks] = [amount(surge[1]) !== 0, amount(unavailable[1]) !== 0];
  if (surges && lacks) errors.push(invalidField(surge[0], surge[1], 'may not be set when maxUnavailable is non-zero'));
  if (!surges && !lacks) errors.push(requiredField(unavailable[0], 'cannot be 0 when maxSurge is 0'));
  return errors;
}

/** Validates the strategy of a StatefulSet (upstream: the switch in `ValidateStatefulSetSpec`). */
export function statefulSetStrategyErrors([field, strategy]: Place): FieldError[] {
  const [type, rolling] = ['type', 'rollingUpdate'].map((name) => valueAt(strategy, name));
  const own = `${field}.rollingUpdate`;
  switch (type) {
    case 'RollingUpdate': {
      const most = at(rolling, own, 'maxUnavailable');
      const isNone = most[1] !== undefined && amount(most[1]) === 0;
      return [
        ...nonNegative(at(rolling, own, 'partition')),
        ...rollingErrors(...most),
        ...(isNone ? [invalidField(most[0], most[1], 'cannot be 0')] : []),
        ...notAboveAll(most),
      ];
    }
    case 'OnDelete': {
      const detail = "only allowed for updateStrategy 'RollingUpdate'";
      const shown = internalValue('RollingUpdateStatefulSetStrategy', rolling);
      return rolling === undefined ? [] : [invalidField(own, shown, detail)];
    }
    default: {
      const shown = internalValue('StatefulSetUpdateStrategy', strategy);
      return [invalidField(field, shown, "must be 'RollingUpdate' or 'OnDelete'")];
    }
  }
}
