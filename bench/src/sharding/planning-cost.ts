// The planner has no public entry point, because only members of a group call it.
import { writePlanLease } from '../../../packages/core/src/sharding/lease/plan-lease.ts';
import {
  fleetLoads,
  inputOf,
  membersOf,
  obedient,
} from '../../../packages/core/src/sharding/plan/planned-group.fixture.ts';
import type { PlanInput } from '../../../packages/core/src/sharding/plan/plan-input.ts';
import type { Plan } from '../../../packages/core/src/sharding/plan/plan.ts';
import { nextPlan } from '../../../packages/core/src/sharding/plan/planner.ts';
import { median } from '../scenario.ts';

export interface PlanningCost {
  /** Median time of one call of the planner, in milliseconds. */
  readonly median: number;
  /** Longest time of one call, in milliseconds. */
  readonly max: number;
  /** Size of the largest plan, as JSON of its Lease, in bytes. */
  readonly bytes: number;
}

const GROUP = { name: 'bench', namespace: 'default', slots: 1_024 };
/** Upper limit of the plans for one change of the members. */
const MAX_PLANS = 1_000;

/** Measures the planner while a member joins, another one leaves, and a third one crashes. */
export function planningCost(options: {
  readonly members: number;
  readonly clusters: number;
  readonly runs: number;
}): PlanningCost {
  planAll(options);
  const runs = Array.from({ length: options.runs }, () => planAll(options));
  const times = runs.flatMap((run) => run.times);
  return {
    median: median(times),
    max: Math.max(...times),
    bytes: Math.max(...runs.map(({ bytes }) => bytes)),
  };
}

function planAll({ members: count, clusters }: { readonly members: number; readonly clusters: number }) {
  const loads = fleetLoads(clusters, { slots: GROUP.slots });
  // A real name is a Pod's name and a random text.
  const members = membersOf(Array.from({ length: count }, () => 1)).map((member) => ({
    ...member,
    name: `controller-6d4cf56db6-x${member.name}-0123456789`,
  }));
  const [joins, leaves, crashes, ...others] = members;
  if (!joins || !leaves || !crashes) throw new RangeError('expected at least three members');
  const times: number[] = [];
  let bytes = 0;
  let previous: Plan | undefined;
  const settle = (changes: Pick<PlanInput, 'members'> & Partial<PlanInput>) => {
    for (let plans = 0; plans < MAX_PLANS; plans++) {
      const input = inputOf(obedient(changes.members, previous), {
        ...changes,
        members: obedient(changes.members, previous),
        slots: GROUP.slots,
        loads,
        previous,
      });
      const started = performance.now();
      const plan = nextPlan(input);
      times.push(performance.now() - started);
      if (!plan) return;
      previous = plan;
      bytes = Math.max(
        bytes,
        Buffer.byteLength(JSON.stringify(writePlanLease(plan, { group: GROUP, resourceVersion: '1' }))),
      );
    }
    throw new Error(`the planner did not settle after ${MAX_PLANS} plans`);
  };
  settle({ members: [leaves, crashes, ...others] });
  settle({ members });
  settle({ members: [joins, { ...leaves, isLeaving: true }, crashes, ...others] });
  settle({ members: [joins, ...others], out: new Set([leaves.name, crashes.name]) });
  return { times, bytes };
}
