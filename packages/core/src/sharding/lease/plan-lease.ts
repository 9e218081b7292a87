import type { DeepReadonly, Lease } from '@mcr/client';
import * as z from 'zod';
import type { PlanLease } from '../membership/member-record.ts';
import { planProblem } from '../plan/plan-problem.ts';
import type { MemberName, Plan, SlotAssignment } from '../plan/plan.ts';
import { MAX_SLOTS } from '../plan/slot.ts';
import type { ShardGroup } from './group.ts';
import { controllersOf, controllersSchema } from './controllers.ts';
import {
  FORMAT,
  GROUP_LABEL,
  groupMismatch,
  groupSchema,
  MAX_LENGTH,
  MAX_REASON,
  PLAN_ANNOTATION,
  planLeaseName,
  ShardGroupMismatchError,
} from './group.ts';
import { decodeSlots, encodeSlots } from './slot-bitmap.ts';

const index = z.int().nonnegative();

/** A plan as JSON. Members are numbers: their positions in `members`. */
const planSchema = groupSchema.extend({
  epoch: z.int().positive(),
  id: z.string().max(64),
  rewritten: z.int().positive().exactOptional(),
  members: z.array(z.string().min(1).max(253)).min(1).max(10_000),
  /** The distinct sets of members that slots wait for, as {@link encodeSlots} writes them: many slots share a few. */
  waits: z.array(z.string()).max(MAX_SLOTS),
  /** Runs of slots with equal assignments: length, owner, since, next or -1, position in `waits`. */
  runs: z.array(z.tuple([z.int().positive(), index, z.int().positive(), z.int().min(-1), index])).max(MAX_SLOTS),
  controllers: controllersSchema.exactOptional(),
});

/** Options of {@link writePlanLease}. */
export interface WritePlanLeaseOptions {
  readonly group: ShardGroup;
  /** Version that it replaces. `undefined`: it is created. */
  readonly resourceVersion: string | undefined;
  /** Controllers to write if this replica has none. Default: none. */
  readonly controllers?: readonly string[];
}

/**
 * Returns the Lease of the plan.
 *
 * @throws {RangeError} if a slot names a member that is not one of the plan.
 */
export function writePlanLease(plan: Plan, options: WritePlanLeaseOptions) {
  const { group, resourceVersion, controllers: previous = [] } = options;
  const { name, namespace, slots } = group;
  const own = controllersOf(group);
  const controllers = own.length > 0 ? own : previous;
  const { epoch, id, rewritten, members } = plan;
  const positions = new Map(members.map((member, position) => [member, position]));
  const positionOf = (member: MemberName): number => {
    const position = positions.get(member);
    if (position === undefined) throw new RangeError(`${member} is not a member of the plan`);
    return position;
  };
  const waits = new Map<string, number>();
  const positionOfWait = (wait: readonly MemberName[]): number => {
    const text = encodeSlots(new Set(wait.map(positionOf)), members.length);
    const position = waits.get(text) ?? waits.size;
    waits.set(text, position);
    return position;
  };
  const runs: [number, number, number, number, number][] = [];
  for (const { owner, since, next, wait } of plan.slots) {
    const fields = [
      positionOf(owner),
      since,
      next === undefined ? -1 : positionOf(next),
      positionOfWait(wait),
    ] as const;
    const run = runs.at(-1);
    if (run && fields.every((field, position) => field === run[position + 1])) run[0] += 1;
    else runs.push([1, ...fields]);
  }
  const content: z.input<typeof planSchema> = {
    format: FORMAT,
    group: name,
    slots,
    epoch,
    id,
    ...(rewritten !== undefined && { rewritten }),
    members: [...members],
    waits: [...waits.keys()],
    runs,
    ...(controllers.length > 0 && { controllers: [...controllers] }),
  };
  return {
    metadata: {
      namespace,
      name: planLeaseName(group),
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
 * @throws {ShardGroupMismatchError} if it belongs to another group. The message names both.
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
  const mismatch = groupMismatch(group, common.data);
  if (mismatch !== undefined) {
    throw new ShardGroupMismatchError(
      `lease ${group.namespace}/${metadata.name} ${mismatch}: give all replicas of a group the same sharding.slots, ` +
        'choose another sharding.name, or delete the Leases of the group while no replica runs',
    );
  }
  const parsed = planSchema.safeParse(json);
  if (!parsed.success) return unreadable(problemOf(parsed.error));
  const plan = planOf(parsed.data);
  if (typeof plan === 'string') return unreadable(plan);
  const { controllers } = parsed.data;
  return { type: 'plan', plan, resourceVersion, ...(controllers && { controllers }) };
}

/** Returns the plan, or why it is not one. */
function planOf({ epoch, id, rewritten, members, waits, runs, slots }: z.output<typeof planSchema>): Plan | string {
  const lists: (readonly MemberName[])[] = [];
  for (const text of waits) {
    const wait = waitOf(text, members);
    if (!wait) return 'a set of members that slots wait for cannot be read';
    lists.push(wait);
  }
  const assignments: SlotAssignment[] = [];
  for (const [length, ownerAt, since, nextAt, waitAt] of runs) {
    const owner = members[ownerAt];
    const next = nextAt < 0 ? undefined : members[nextAt];
    const wait = lists[waitAt];
    if (owner === undefined) return 'the owner of a slot is not a member';
    if (nextAt >= members.length) return 'the next owner of a slot is not a member';
    if (!wait) return 'a slot waits for an unknown set of members';
    if (assignments.length + length > slots) return `it has more than ${slots} slots`;
    const assignment: SlotAssignment = { owner, since, wait, ...(next !== undefined && { next }) };
    for (let slot = 0; slot < length; slot++) assignments.push(assignment);
  }
  const plan: Plan = { epoch, id, members, slots: assignments, ...(rewritten !== undefined && { rewritten }) };
  return planProblem(plan, slots)?.slice(0, MAX_REASON) ?? plan;
}

function waitOf(text: string, members: readonly MemberName[]): readonly MemberName[] | undefined {
  try {
    const positions = decodeSlots(text, members.length);
    return members.filter((_, position) => positions.has(position));
  } catch {
    return undefined;
  }
}

function problemOf({ issues }: z.ZodError): string {
  const [issue] = issues;
  return `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'wrong content'}`.slice(0, MAX_REASON);
}
