import { MAX_EPOCH } from './plan-version.ts';
import type { MemberName, Plan, SlotAssignment } from './plan.ts';

/**
 * Says why a plan cannot be acted on, or returns `undefined` if it is valid.
 *
 * @param slots Number of slots of the group.
 */
export function planProblem(plan: Plan, slots: number): string | undefined {
  if (!Number.isSafeInteger(plan.epoch) || plan.epoch < 1) return `epoch ${plan.epoch} is not a positive integer`;
  if (plan.epoch > MAX_EPOCH) return `epoch ${plan.epoch} is above ${MAX_EPOCH}`;
  if (plan.id === '') return 'the id is empty';
  if (plan.slots.length !== slots) return `it has ${plan.slots.length} slots instead of ${slots}`;
  const disorder = plan.members.findIndex((name, index) => index > 0 && name <= (plan.members[index - 1] ?? ''));
  if (disorder > 0) return `member ${plan.members[disorder]} is not in order, or is listed twice`;
  const members = new Set(plan.members);
  for (const [slot, assignment] of plan.slots.entries()) {
    const problem = assignmentProblem(assignment, members, plan.epoch);
    if (problem !== undefined) return `slot ${slot}: ${problem}`;
  }
  return undefined;
}

function assignmentProblem(
  { owner, since, wait, next }: SlotAssignment,
  members: ReadonlySet<MemberName>,
  epoch: number,
): string | undefined {
  if (!members.has(owner)) return `owner ${owner} is not a member`;
  if (!Number.isSafeInteger(since) || since < 1 || since > epoch)
    return `since ${since} is not an epoch up to ${epoch}`;
  const stranger = wait.find((name) => !members.has(name));
  if (stranger !== undefined) return `${stranger} in wait is not a member`;
  if (wait.includes(owner)) return `it waits for its own owner ${owner}`;
  if (new Set(wait).size !== wait.length) return 'wait names a member twice';
  if (next !== undefined && !members.has(next)) return `next owner ${next} is not a member`;
  if (next === owner) return `next owner ${next} is the owner`;
  return undefined;
}
