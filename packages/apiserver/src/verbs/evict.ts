import { matchesLabels, parseLabelSelector } from '@mcr/client';
import { valueAt } from '../resources/resource-type.ts';
import { tooManyRequests } from '../status.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import { parseStored } from '../storage/stored-object.ts';
import type { DeleteOptions } from './delete.ts';
import { removing } from './delete.ts';
import { selectorText } from './scale.ts';
import type { Steps } from './steps.ts';
import type { Backend, Target } from './target.ts';
import { get } from './target.ts';

const BUDGETS = 'poddisruptionbudgets.policy';

/**
 * Deletes a pod unless a PodDisruptionBudget that selects it allows no disruption. No controller updates that status:
 * it has the value that a client wrote.
 *
 * @throws {StatusError} 404, or 429 if a budget allows no disruption.
 */
export function* evicting(backend: Backend, target: Target, options: DeleteOptions): Steps<void> {
  const pod = get(backend, target);
  const budget = backend.store
    .resource(BUDGETS)
    .list(target.namespace)
    .find((candidate) => forbids(candidate, pod));
  if (budget) {
    const message = `The disruption budget ${budget.name} does not allow to evict any pods currently.`;
    throw tooManyRequests("Cannot evict pod as it would violate the pod's disruption budget.", {
      causes: [{ reason: 'DisruptionBudget', message }],
    });
  }
  yield* removing(backend, target, options);
}

function forbids(budget: StoredObject, { labels }: StoredObject): boolean {
  const { spec, status } = parseStored(budget);
  if (valueAt(status, 'disruptionsAllowed') !== 0) return false;
  const selector = valueAt(spec, 'selector');
  return selector !== undefined && matchesLabels(parseLabelSelector(selectorText(selector)), labels);
}
