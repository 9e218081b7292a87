import { matchesLabels, parseLabelSelector } from '@mcr/client';
import { listAt } from '../resources/cells.ts';
import { scalarText, valueAt } from '../resources/resource-type.ts';
import { now } from '../resources/timestamp.ts';
import { forbiddenBy, StatusError, tooManyRequests } from '../status.ts';
import type { ApiObject, JsonObject, StoredObject } from '../storage/stored-object.ts';
import { parseStored } from '../storage/stored-object.ts';
import { selectorText } from './scale.ts';
import type { Backend } from './target.ts';
import { modify } from './update.ts';

const BUDGETS = 'poddisruptionbudgets.policy';

/** Maximum number of evictions that the controller has not confirmed. */
const DISRUPTED_LIMIT = 2000;

/** Delay after which a client tries again while a controller has not seen the budget, in seconds. */
const PROCESSING_DELAY = 10;

/** Phases of Pods that no budget protects. */
const UNPROTECTED: ReadonlySet<unknown> = new Set(['Succeeded', 'Failed', 'Pending']);

/**
 * Takes the disruption of a Pod from the PodDisruptionBudget that selects it, in one turn, so that concurrent evictions
 * cannot take the same one. A controller restores the budget. (Upstream: `EvictionREST` of `registry/core/pod`.)
 *
 * @throws {StatusError} 429 if the budget allows no disruption, 403 if its status is invalid, 500 if several budgets select
 *   the Pod.
 */
export function disrupt(backend: Backend, pod: StoredObject, { dryRun }: { readonly dryRun: boolean }): void {
  const object = parseStored(pod);
  if (pod.terminating || UNPROTECTED.has(valueAt(object, 'status.phase'))) return;
  const budgets = backend.store
    .resource(BUDGETS)
    .list(pod.namespace)
    .map(parseStored)
    .filter((budget) => selects(budget, pod));
  const [budget] = budgets;
  if (!budget) return;
  if (budgets.length > 1) {
    const why = 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.';
    throw new StatusError(500, '', why);
  }
  if (!isReady(object) && allowsUnhealthy(budget)) return;
  requireDisruption(budget);
  const type = backend.registry.storedType(BUDGETS);
  if (dryRun || !type) return;
  const { name } = budget.metadata;
  const target = { type, namespace: pod.namespace, name };
  const change = (current: ApiObject): ApiObject => withDisruption(current, pod.name);
  modify(backend, { target, part: 'status', manager: 'kube-apiserver', dryRun: false, change });
}

function selects({ spec }: ApiObject, { labels }: StoredObject): boolean {
  const selector = valueAt(spec, 'selector');
  return selector !== undefined && matchesLabels(parseLabelSelector(selectorText(selector)), labels);
}

function isReady(pod: ApiObject): boolean {
  const ready = listAt(pod, 'status.conditions').find((each) => valueAt(each, 'type') === 'Ready');
  return valueAt(ready, 'status') === 'True';
}

function numberAt(budget: ApiObject, field: string): number {
  return Number(valueAt(budget, `status.${field}`) ?? 0);
}

/** Reports whether a Pod that is not ready may go without a disruption of the budget. */
function allowsUnhealthy(budget: ApiObject): boolean {
  if (valueAt(budget, 'spec.unhealthyPodEvictionPolicy') === 'AlwaysAllow') return true;
  const desired = numberAt(budget, 'desiredHealthy');
  return desired > 0 && numberAt(budget, 'currentHealthy') >= desired;
}

/** @throws {StatusError} 403, 429 */
function requireDisruption(budget: ApiObject): void {
  const { name, generation = 0 } = budget.metadata;
  const forbid = (why: string): Error => forbiddenBy({ group: 'policy', plural: 'poddisruptionbudget' }, name, why);
  if (numberAt(budget, 'observedGeneration') < generation) {
    throw refused(`The disruption budget ${name} is still being processed by the server.`, PROCESSING_DELAY);
  }
  const allowed = numberAt(budget, 'disruptionsAllowed');
  if (allowed < 0) throw forbid('pdb disruptions allowed is negative');
  if (Object.keys(valueAt(budget, 'status.disruptedPods') ?? {}).length > DISRUPTED_LIMIT) {
    throw forbid('DisruptedPods map too big - too many evictions not confirmed by PDB controller');
  }
  if (allowed === 0) throw refused(`The disruption budget ${name} ${reasonOf(budget)}`);
}

function reasonOf(budget: ApiObject): string {
  const condition = listAt(budget, 'status.conditions').find((each) => valueAt(each, 'type') === 'DisruptionAllowed');
  const [reason, message] = ['reason', 'message'].map((field) => scalarText(valueAt(condition, field)));
  const isFalse = valueAt(condition, 'status') === 'False' && message !== '';
  const [current, desired] = [numberAt(budget, 'currentHealthy'), numberAt(budget, 'desiredHealthy')];
  if (isFalse && reason === 'SyncFailed') {
    return `does not allow evicting pods currently because it failed sync: ${String(message)}`;
  }
  if (current <= desired) return `needs ${desired} healthy pods and has ${current} currently`;
  if (isFalse) return `does not allow evicting pods currently (${String(reason)}): ${String(message)}`;
  return 'does not allow evicting pods currently';
}

/** @param retryAfterSeconds Default: the client chooses. */
function refused(message: string, retryAfterSeconds?: number): StatusError {
  return tooManyRequests("Cannot evict pod as it would violate the pod's disruption budget.", {
    causes: [{ reason: 'DisruptionBudget', message }],
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}

function withDisruption(budget: ApiObject, pod: string): ApiObject {
  const disruptionsAllowed = numberAt(budget, 'disruptionsAllowed') - 1;
  const status = { ...(budget['status'] as JsonObject) };
  const disruptedPods = { ...(status['disruptedPods'] as JsonObject | undefined), [pod]: now() };
  const conditions = disruptionsAllowed === 0 ? { conditions: insufficient(budget) } : {};
  return { ...budget, status: { ...status, disruptionsAllowed, disruptedPods, ...conditions } };
}

/** Returns the conditions of a budget that has no disruptions left. */
function insufficient(budget: ApiObject): readonly unknown[] {
  const type = 'DisruptionAllowed';
  const conditions = listAt(budget, 'status.conditions');
  const before = conditions.find((each) => valueAt(each, 'type') === type);
  const since = valueAt(before, 'status') === 'False' ? valueAt(before, 'lastTransitionTime') : undefined;
  const condition = {
    type,
    status: 'False',
    observedGeneration: numberAt(budget, 'observedGeneration'),
    lastTransitionTime: since ?? now(),
    reason: 'InsufficientPods',
    message: '',
  };
  return before ? conditions.map((each) => (each === before ? condition : each)) : [...conditions, condition];
}
