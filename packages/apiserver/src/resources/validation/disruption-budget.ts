import type { FieldError } from '../../status.ts';
import { invalidField } from '../../status.ts';
import type { Change } from '../resource-type.ts';
import { valueAt } from '../resource-type.ts';
import { at, besidesMetadata, supported } from './rules.ts';
import { selectorErrors } from './selector.ts';
import { rollingErrors } from './update-strategy.ts';

/** Validates a PodDisruptionBudget (upstream: `ValidatePodDisruptionBudgetSpec`). */
export function budgetErrors(change: Change): FieldError[] {
  return besidesMetadata(change, specErrors(change));
}

function specErrors({ object }: Change): FieldError[] {
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
  return [...errors, ...supported(at(spec, 'spec', 'unhealthyPodEvictionPolicy'), ['AlwaysAllow', 'IfHealthyBudget'])];
}
