import type { PlanVersion } from './plan.ts';

/**
 * Maximum epoch of a plan and of an acknowledgement. A higher one was not reached by counting: no later epoch would follow
 * it exactly, and no plan could be written any more.
 */
export const MAX_EPOCH = 2 ** 40;

/** Whether two versions identify the same plan. */
export function isSamePlan(a: PlanVersion, b: PlanVersion): boolean {
  return a.epoch === b.epoch && a.id === b.id;
}

/**
 * Whether `seen` cannot follow `known`: its epoch is lower, or it is another plan with the same epoch. The plan was
 * rolled back or rewritten (rule 8).
 */
export function isBehind(seen: PlanVersion, known: PlanVersion): boolean {
  return seen.epoch < known.epoch || (seen.epoch === known.epoch && seen.id !== known.id);
}
