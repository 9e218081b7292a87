import type { DeleteOptions } from './delete.ts';
import { removing } from './delete.ts';
import { disrupt } from './disruption-budget.ts';
import type { Steps } from './steps.ts';
import type { Backend, Target } from './target.ts';
import { get } from './target.ts';

/**
 * Deletes a Pod unless a PodDisruptionBudget that selects it allows no disruption. No controller updates the status of
 * budgets: it has the value that a client wrote, less the evictions since.
 *
 * @throws {StatusError} 404, or the errors of the budget.
 */
export function* evicting(backend: Backend, target: Target, options: DeleteOptions): Steps<void> {
  disrupt(backend, get(backend, target), options);
  yield* removing(backend, target, options);
}
