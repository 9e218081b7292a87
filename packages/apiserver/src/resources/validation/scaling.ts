import type { FieldError } from '../../status.ts';
import { invalidField, requiredField, unsupportedField } from '../../status.ts';
import { listAt } from '../cells.ts';
import type { Change } from '../resource-type.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import { at, oneOf, pathSegment, required } from './rules.ts';
import { selectorErrors } from './selector.ts';
import { rollingErrors } from './workload.ts';

const TYPES = ['ContainerResource', 'External', 'Object', 'Pods', 'Resource'];

/** Validates a HorizontalPodAutoscaler (upstream: `ValidateHorizontalPodAutoscaler`). */
export function autoscalerErrors({ object }: Change): FieldError[] {
  const spec = object['spec'];
  const least = Number(valueAt(spec, 'minReplicas') ?? 1);
  const most = Number(valueAt(spec, 'maxReplicas') ?? 0);
  const target = valueAt(spec, 'scaleTargetRef');
  const path = 'spec.scaleTargetRef';
  return [
    ...(least < 1 ? [invalidField('spec.minReplicas', least, 'must be greater than or equal to 1')] : []),
    ...(most < 1 ? [invalidField('spec.maxReplicas', most, 'must be greater than 0')] : []),
    ...(most < least ? [invalidField('spec.maxReplicas', most, 'must be greater than or equal to `minReplicas`')] : []),
    ...segment(at(target, path, 'kind')),
    ...segment(at(target, path, 'name')),
    ...(scalarText(valueAt(target, 'apiVersion')) === ''
      ? [invalidField(`${path}.apiVersion`, '', 'apiVersion must specify API group')]
      : []),
    ...listAt(spec, 'metrics').flatMap((metric, index) => metricErrors(`spec.metrics[${index}]`, metric)),
  ];
}

function segment(place: readonly [string, unknown]): FieldError[] {
  return [...required(place), ...pathSegment(place)];
}

function metricErrors(field: string, metric: unknown): FieldError[] {
  const type = scalarText(valueAt(metric, 'type'));
  if (type === '') {
    const missing = requiredField(`${field}.type`, 'must specify a metric source type');
    return [missing, unsupportedField(`${field}.type`, type, TYPES)];
  }
  const unknown = oneOf([`${field}.type`, type], TYPES);
  if (unknown.length > 0) return unknown;
  const source = type.charAt(0).toLowerCase() + type.slice(1);
  const place = `${field}.${source}`;
  const own = valueAt(metric, source);
  if (own === undefined) return [requiredField(place, 'must populate information for the given metric source')];
  if (type !== 'Resource') return [];
  const { averageUtilization, averageValue } = (valueAt(own, 'target') ?? {}) as Record<string, unknown>;
  const errors = required(at(own, place, 'name'), 'must specify a resource name');
  if (averageUtilization === undefined && averageValue === undefined) {
    const detail = 'must set either a target raw value or a target utilization';
    errors.push(requiredField(`${place}.target.averageUtilization`, detail));
  }
  return errors;
}

/** Validates a PodDisruptionBudget (upstream: `ValidatePodDisruptionBudgetSpec`). */
export function budgetErrors({ object }: Change): FieldError[] {
  const spec = object['spec'];
  const [least, most] = [valueAt(spec, 'minAvailable'), valueAt(spec, 'maxUnavailable')];
  const errors: FieldError[] = [];
  if (least !== undefined && most !== undefined) {
    const internal = {
      MinAvailable: least,
      Selector: valueAt(spec, 'selector') ?? null,
      MaxUnavailable: most,
      UnhealthyPodEvictionPolicy: valueAt(spec, 'unhealthyPodEvictionPolicy') ?? null,
    };
    errors.push(invalidField('spec', internal, 'minAvailable and maxUnavailable cannot be both set'));
  }
  for (const [field, value] of [at(spec, 'spec', 'minAvailable'), at(spec, 'spec', 'maxUnavailable')]) {
    errors.push(...rollingErrors(field, value));
    const isTooMuch = typeof value === 'string' && Number(value.replace('%', '')) > 100;
    if (isTooMuch) errors.push(invalidField(field, value, 'must not be greater than 100%'));
  }
  errors.push(...selectorErrors(at(spec, 'spec', 'selector')));
  return [...errors, ...oneOf(at(spec, 'spec', 'unhealthyPodEvictionPolicy'), ['AlwaysAllow', 'IfHealthyBudget'])];
}
