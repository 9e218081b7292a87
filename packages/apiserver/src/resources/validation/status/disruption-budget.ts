import type { FieldError } from '../../../status.ts';
import type { Change } from '../../resource-type.ts';
import { at, nonNegative } from '../rules.ts';
import { conditionsErrors } from './conditions.ts';

const COUNTS = ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'];

/** Validates the status of a PodDisruptionBudget (upstream: `ValidatePodDisruptionBudgetStatusUpdate`). */
export function budgetStatusErrors({ object }: Change): FieldError[] {
  const { status } = object;
  return [
    ...conditionsErrors('status', status),
    ...COUNTS.flatMap((field) => nonNegative(at(status, 'status', field))),
  ];
}
