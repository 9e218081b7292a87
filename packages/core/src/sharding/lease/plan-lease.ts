import type { DeepReadonly, Lease } from '@mcr/client';
import * as z from 'zod';
import type { PlanLease } from '../membership/member-record.ts';
import type { MemberName, Plan, SlotAssignment } from '../plan/plan.ts';
import type { ShardGroup } from './group.ts';
import { checkGroup, FORMAT, GROUP_LABEL, groupSchema, MAX_LENGTH, PLAN_ANNOTATION } from './group.ts';

const index = z.int().nonnegative();

/**
 * A plan as JSON. Members are numbers: positions in `names`, which has the members first, and then members that slots
 * wait for.
 */
const planSchema = groupSchema.extend({
  epoch: z.int().positive(),
  id: z.string().max(64),
  rewritten: z.int().positive().exactOptional(),
  members: z.int().nonnegative(),
  names: z.array(z.string().min(1).max(253)).max(10_000),
  /** Runs of slots with equal assignments: length, owner, since, next or -1, wait. */
  runs: z.array(z.tuple([z.int().positive(), index, index, z.int().min(-1), z.array(index)])).max(65_536),
});

/** Returns the Lease of the plan. @param resourceVersion version that it replaces. Default: it is created. */
export function writePlanLease(plan: Plan, group: ShardGroup, resourceVersion: string | undefined) {
  const { name, namespace, slots } = group;
  const positions = new Map(plan.members.map((member, position) => [member, position]));
  const position = (member: MemberName): number => {
    const known = positions.get(member) ?? positions.size;
    positions.set(member, known);
    return known;
  };
  const runs: [number, number, number, number, number[]][] = [];
  let last = '';
  for (const { owner, since, next, wait } of plan.slots) {
    const fields = [position(owner), since, next === undefined ? -1 : position(next), wait.map(position)] as const;
    const text = JSON.stringify(fields);
    const run = runs.at(-1);
    if (run && text === last) run[0] += 1;
    else runs.push([1, ...fields]);
    last = text;
  }
  const { epoch, id, rewritten, members } = plan;
  const content: z.input<typeof planSchema> = {
    format: FORMAT,
    group: name,
    slots,
    epoch,
    id,
    ...(rewritten !== undefined && { rewritten }),
    members: members.length,
    names: [...positions.keys()],
    runs,
  };
  return {
    metadata: {
      namespace,
      name,
      labels: { [GROUP_LABEL]: name },
      annotations: { [PLAN_ANNOTATION]: JSON.stringify(content) },
      ...(resourceVersion !== undefined && { resourceVersion }),
    },
    spec: {},
  };
}

/**
 * Reads the Lease of the plan.
 *
 * @throws {ShardGroupMismatchError} if it belongs to another group.
 */
export function readPlanLease(lease: DeepReadonly<Lease>, group: ShardGroup): PlanLease {
  const { metadata } = lease;
  const { resourceVersion } = metadata;
  const unreadable = (reason: string): PlanLease => ({ type: 'unreadable', reason, resourceVersion });
  const text = metadata.annotations?.[PLAN_ANNOTATION];
  if (text === undefined) return unreadable(`the annotation ${PLAN_ANNOTATION} is missing`);
  if (text.length > MAX_LENGTH) return unreadable(`the annotation ${PLAN_ANNOTATION} is too long`);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return unreadable(`the annotation ${PLAN_ANNOTATION} is not JSON`);
  }
  const common = groupSchema.safeParse(json);
  if (!common.success) return unreadable(problemOf(common.error));
  if (common.data.format > FORMAT) return { type: 'newer', format: common.data.format, resourceVersion };
  checkGroup(metadata.name, group, common.data);
  const parsed = planSchema.safeParse(json);
  if (!parsed.success) return unreadable(problemOf(parsed.error));
  const plan = planOf(parsed.data);
  return typeof plan === 'string' ? unreadable(plan) : { type: 'plan', plan, resourceVersion };
}

/** Returns the plan, or why it is not one. */
function planOf({ epoch, id, rewritten, members: count, names, runs, slots }: z.output<typeof planSchema>) {
  if (new Set(names).size !== names.length) return 'a member is named twice';
  if (count > names.length || count === 0) return 'its number of members is wrong';
  const assignments: SlotAssignment[] = [];
  for (const [length, ownerAt, since, nextAt, waitAt] of runs) {
    const owner = names[ownerAt];
    const next = nextAt < 0 ? undefined : names[nextAt];
    const wait = waitAt.flatMap((position) => names[position] ?? []);
    if (owner === undefined || ownerAt >= count) return 'the owner of a slot is not a member';
    if (nextAt >= count) return 'the next owner of a slot is not a member';
    if (wait.length !== waitAt.length) return 'a slot waits for an unknown member';
    if (since < 1 || since > epoch) return 'a slot changed its owner after the plan was written';
    if (assignments.length + length > slots) return `it has more than ${slots} slots`;
    const assignment: SlotAssignment = { owner, since, wait, ...(next !== undefined && { next }) };
    for (let slot = 0; slot < length; slot++) assignments.push(assignment);
  }
  if (assignments.length !== slots) return `it has ${assignments.length} of ${slots} slots`;
  const plan: Plan = {
    epoch,
    id,
    members: names.slice(0, count),
    slots: assignments,
    ...(rewritten !== undefined && { rewritten }),
  };
  return plan;
}

function problemOf({ issues }: z.ZodError): string {
  const [issue] = issues;
  return `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'wrong content'}`.slice(0, 200);
}
