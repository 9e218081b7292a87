import type { MemberName, Plan, SlotAssignment } from '../../plan/plan.ts';
import { waitAfter } from '../../plan/wait.ts';
import type { MemberRecord } from '../member-record.ts';
import { planStanding } from '../plan-standing.ts';
import type { EventQueue } from './event-queue.fixture.ts';
import type { ModelHub } from './model-hub.fixture.ts';
import type { Random } from './random.fixture.ts';
import type { Replica } from './replica.fixture.ts';

export interface World {
  readonly queue: EventQueue;
  readonly random: Random;
  readonly hub: ModelHub;
  readonly replicas: readonly Replica[];
}

/**
 * Kinds of schedules. `mixed` has all faults. In `lost Lease`, the plan becomes unreadable and a member's Lease is deleted
 * while that member is cut off. In `lost answers`, no answer of a write arrives at some members, and this does not end.
 */
export type FaultKind = 'mixed' | 'outage' | 'rolling update' | 'lost Lease' | 'lost answers';

/** Plans the faults of a schedule until `end`. Returns whether a Lease or the plan is changed by hand. */
export function planFaults(world: World, { kind, end }: { readonly kind: FaultKind; readonly end: number }): boolean {
  const { queue, random, hub, replicas } = world;
  if (kind === 'outage') {
    const start = random.between(30_000, 40_000);
    for (const replica of replicas)
      during(world, { replica, start, end: end - random.between(0, 100), fault: 'cut off' });
    return false;
  }
  if (kind === 'rolling update') {
    replicas.forEach((replica, index) => {
      const at = 10_000 + (index * (end - 25_000)) / replicas.length;
      queue.at(at, () => replica.leave());
      restart(world, { replica, from: at + 200, end });
    });
    return false;
  }
  if (kind === 'lost Lease') {
    const replica = random.pick(replicas);
    const start = random.between(30_000, 35_000);
    if (replica) during(world, { replica, start, end: start + 20_000, fault: 'cut off' });
    queue.at(start + random.between(0, 1_500), () => {
      hub.putPlan({ type: 'unreadable', reason: 'damaged', resourceVersion: hub.version() });
      hub.members.delete(replica?.state?.name ?? '');
    });
    return true;
  }
  if (kind === 'lost answers') {
    for (const replica of replicas) {
      if (random.chance(0.3)) continue;
      queue.at(random.between(0, end), () => (replica.conditions.losesAnswers = true));
      if (random.chance(0.3))
        during(world, { replica, start: random.between(20_000, end - 20_000), end, fault: 'crash' });
    }
    return false;
  }
  for (const replica of replicas) {
    for (let start = random.between(2_000, 20_000); start < end; start += random.between(3_000, 30_000)) {
      const fault = random.pick(FAULTS);
      // Half of the faults last about as long as it takes to evict a member.
      const length = random.chance(0.5) ? random.between(13_500, 17_000) : random.between(500, 30_000);
      if (fault) during(world, { replica, start, end: Math.min(end, start + length), fault });
    }
  }
  for (let at = random.between(5_000, 15_000); at < end; at += random.between(1_000, 15_000)) {
    queue.at(at, () => shuffle(world));
  }
  const isByHand = random.chance(0.4);
  if (isByHand) queue.at(random.between(8_000, end), () => changeByHand(world));
  return isByHand;
}

const FAULTS = ['cut off', 'pause', 'crash', 'leave', 'loss', 'lost answers', 'silent watch', 'slow drain'] as const;

interface Fault {
  readonly replica: Replica;
  readonly start: number;
  readonly end: number;
  readonly fault: (typeof FAULTS)[number];
}

function during(world: World, { replica, start, end, fault }: Fault): void {
  const { queue, random } = world;
  const { conditions } = replica;
  switch (fault) {
    case 'cut off':
      queue.at(start, () => (conditions.isCutOff = true));
      queue.at(end, () => (conditions.isCutOff = false));
      return;
    case 'pause':
      queue.at(start, () => replica.pause(end, { isSending: random.chance(0.5) }));
      return;
    case 'crash':
      queue.at(start, () => replica.crash());
      queue.at(end, () => replica.start());
      return;
    case 'leave':
      queue.at(start, () => replica.leave());
      restart(world, { replica, from: start + 1_000, end });
      return;
    case 'loss':
      queue.at(start, () => (conditions.loss = random.between(0.1, 0.7)));
      queue.at(end, () => (conditions.loss = 0));
      return;
    case 'lost answers':
      queue.at(start, () => (conditions.losesAnswers = true));
      queue.at(end, () => (conditions.losesAnswers = false));
      return;
    case 'silent watch':
      queue.at(start, () => (conditions.isWatchSilent = true));
      queue.at(end, () => (conditions.isWatchSilent = false));
      return;
    case 'slow drain':
      queue.at(start, () => (conditions.drain = 15_000));
      queue.at(end, () => (conditions.drain = 2_000));
      return;
  }
}

/** Starts a replica that leaves once it has ended; kills it at `end` if it has not. */
function restart(
  world: World,
  { replica, from, end }: { readonly replica: Replica; readonly from: number; readonly end: number },
): void {
  const { queue } = world;
  queue.at(from, () => {
    if (replica.isRunning && !replica.state?.leaving) return;
    if (replica.isRunning && queue.now < end) {
      restart(world, { replica, from: from + 500, end });
      return;
    }
    if (replica.isRunning) replica.crash();
    replica.start();
  });
}

/** Writes a valid plan that moves slots at random, as another planner could, and sometimes skips epochs. */
function shuffle({ hub, random }: World): void {
  const standing = planStanding(hub.snapshot());
  if (standing.type !== 'current') return;
  const previous = standing.plan;
  const out = new Set<MemberName>();
  const acknowledgements = new Map<MemberName, MemberRecord>();
  for (const [name, member] of hub.members) {
    if (member.type === 'out') out.add(name);
    if (member.type === 'member') acknowledgements.set(name, member.record);
  }
  const highest = Math.max(previous.epoch, ...[...acknowledgements.values()].map(({ acked }) => acked.epoch));
  const epoch = highest + (random.chance(0.2) ? 3 : 1);
  const names = [...acknowledgements.keys()];
  const slots = previous.slots.map(({ owner: before, since }, slot): SlotAssignment => {
    const owner = random.chance(0.4) || out.has(before) ? (random.pick(names) ?? before) : before;
    const wait = waitAfter({ previous, slot, owner, out, acknowledgements });
    return { owner, since: owner === before ? since : epoch, wait };
  });
  const members = [...new Set([...previous.members.filter((name) => !out.has(name)), ...names])].sort();
  if (slots.some(({ owner }) => !members.includes(owner))) return;
  const { rewritten } = previous;
  const plan: Plan = {
    epoch,
    id: `by hand ${random.next()}`,
    members,
    slots,
    ...(rewritten !== undefined && { rewritten }),
  };
  hub.putPlan({ type: 'plan', plan, resourceVersion: hub.version() });
}

const CHANGES = [
  'delete plan',
  'damage plan and delete Lease',
  'damage plan',
  'roll back plan',
  'delete Lease',
  'damage Lease',
  'roll back Lease',
] as const;

/** Deletes, rolls back or damages the plan or one Lease. */
function changeByHand({ hub, random }: World): void {
  const victim = random.pick([...hub.members.keys()]);
  switch (random.pick(CHANGES)) {
    case 'delete plan':
      hub.putPlan(undefined);
      return;
    case 'damage plan':
      hub.putPlan({ type: 'unreadable', reason: 'damaged', resourceVersion: hub.version() });
      return;
    case 'roll back plan': {
      const earlier = random.pick(hub.plans);
      if (earlier) hub.putPlan({ type: 'plan', plan: earlier.plan, resourceVersion: hub.version() });
      return;
    }
    case 'damage plan and delete Lease':
      hub.putPlan({ type: 'unreadable', reason: 'damaged', resourceVersion: hub.version() });
      if (victim !== undefined && hub.members.size > 2) hub.members.delete(victim);
      return;
    case 'delete Lease':
      if (victim !== undefined && hub.members.size > 1) hub.members.delete(victim);
      return;
    case 'damage Lease':
      if (victim === undefined || hub.members.get(victim)?.type === 'out') return;
      hub.putMember({ type: 'unreadable', name: victim, reason: 'damaged', resourceVersion: hub.version() });
      return;
    case 'roll back Lease': {
      const earlier = random.pick(hub.records.get(victim ?? '') ?? []);
      if (earlier) hub.putMember({ ...earlier, resourceVersion: hub.version() });
      return;
    }
    case undefined:
      return;
  }
}
