import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createControlPlaneFleet, type ControlPlaneFleet } from '@mcr/envtest';
import { Journals } from '../sharding/journals.ts';
import { ReplicaGroup } from '../sharding/replica-group.ts';
import type { Replica } from '../sharding/replica.ts';
import type { Summary } from '../sharding/summary.ts';
import { summaryOf } from '../sharding/summary.ts';
import { until } from '../until.ts';

const MEMBERS = 200;
/** Time for which the hub stays cut off after all fences have closed, in milliseconds: beyond `leaseDuration + margin`. */
const OUTAGE = 20_000;
/**
 * Limit for the p99 of the time without an owner in a rolling update, in milliseconds. It is less than a second on a quiet
 * machine. Without a warm handover it would be more than `leaseDuration + margin`.
 */
const MAX_GAP = 8_000;

const JOINED = 'joined the group, writes are allowed';
const CLOSED = 'lease not renewed in time, writes are refused';

describe('replicas of one group, beside constant changes of their members', () => {
  const stack = new AsyncDisposableStack();
  let fleet: ControlPlaneFleet;
  let group: ReplicaGroup;
  let journals: Journals;
  beforeAll(async () => {
    const directory = await mkdtemp(join(tmpdir(), 'mcr-e2e-sharding-'));
    stack.defer(() => rm(directory, { recursive: true, force: true }));
    fleet = stack.use(await createControlPlaneFleet({ members: MEMBERS }));
    group = stack.use(new ReplicaGroup(fleet, { directory }));
    await group.declareMembers();
    journals = stack.use(await Journals.start(fleet.members));
    for (const name of ['a', 'b', 'c', 'd', 'e']) await group.start(name);
  });
  afterAll(() => stack.disposeAsync());

  const others = (replica: Replica) => group.running.filter((other) => other !== replica);

  /** Resolves once every member was changed and written again. Fails if any write so far was wrong. */
  async function work(): Promise<void> {
    await journals.nextWrites();
    expect(journals.problems()).toEqual([]);
  }

  /** Returns the times in which members had no owner since `from`, between two owners. */
  function gapsSince(from: number, replicas: readonly Replica[]): readonly number[] {
    return fleet.members.flatMap(({ name }) => {
      const periods = replicas.flatMap((replica) => replica.periods(name)).filter(({ to }) => to >= from);
      const sorted = periods.toSorted((a, b) => a.from - b.from);
      return sorted.slice(1).map((period, index) => Math.max(0, period.from - (sorted[index]?.to ?? period.from)));
    });
  }

  it('SH-6: the members of a killed replica are taken over, and each change is written once', async () => {
    await group.divided();
    await work();
    const killedAt = now();
    await group.kill(first(group.running));
    await group.divided();
    print('SIGKILL until all members are owned again', now() - killedAt);
    await work();
    print('delays of changes after SIGKILL', journals.delaysSince(killedAt));
  });

  it('SH-4: a replica that was paused past its lease writes nothing more, and its members are reconciled elsewhere', async () => {
    const paused = first(group.running);
    const member = first(paused.owned);
    const failedBefore = paused.refusalsOf(member).length;
    journals.gate(member, paused.name);
    await until(() => paused.isAtGate);
    paused.pause();
    const pausedAt = now();
    await group.divided(others(paused));
    print('SIGSTOP until all members are owned by others', now() - pausedAt);
    await work();
    const written = journals.writesOf(paused.name);
    paused.openGate();
    const resumedAt = now();
    paused.resume();
    await until(() => paused.refusalsOf(member).length > failedBefore);
    // The replica may first notice that requests of before the pause had no response: the member looks as if it hung.
    expect(['NotOwnerError', 'ClusterIsolatedError']).toContain(paused.refusalsOf(member)[failedBefore]);
    expect(journals.writesOf(paused.name)).toBe(written);
    await group.divided();
    print('SIGCONT until the replica owns members again', now() - resumedAt);
    await work();
  });

  it('SH-5: a rolling update loses no change, and no member is without an owner for long', async () => {
    const startedAt = now();
    const former = group.running;
    for (const replica of former) {
      const successor = await group.start(`${replica.name}-next`);
      await until(() => successor.logged(JOINED) > 0);
      await expect(group.stop(replica)).resolves.toBe(0);
    }
    await group.divided();
    await work();
    print('delays of changes in a rolling update', journals.delaysSince(startedAt));
    const gaps = gapsSince(startedAt, [...former, ...group.running]);
    print('time between two owners in a rolling update, at most', gaps);
    expect(gaps.length).toBeGreaterThanOrEqual(MEMBERS);
    expect(summaryOf(gaps).p99).toBeLessThan(MAX_GAP);
  });

  it('SH-11: a replica that is cut off from the hub stops writing, and returns without a restart', async () => {
    const cut = first(group.running);
    const joins = cut.logged(JOINED);
    group.cutOff(cut);
    await until(() => cut.logged(CLOSED) > 0);
    await group.divided(others(cut));
    await work();
    expect(cut.owned).toEqual([]);
    group.heal(cut);
    const healedAt = now();
    await until(() => cut.logged(JOINED) > joins);
    print('cut off replica until it joins again', now() - healedAt);
    await group.divided();
    await work();
  });

  it('SH-11: an outage shared by all causes no eviction and no new plan, and all continue without a restart', async () => {
    await group.settled();
    const before = await group.hubState();
    const closed = new Map(group.running.map((replica) => [replica, replica.logged(CLOSED)]));
    for (const replica of group.running) group.cutOff(replica);
    await until(() => group.running.every((replica) => replica.logged(CLOSED) > (closed.get(replica) ?? 0)));
    await delay(OUTAGE);
    expect(await group.hubState()).toEqual(before);
    const healedAt = now();
    for (const replica of group.running) group.heal(replica);
    await work();
    print('outage of the hub until all members are written again', now() - healedAt);
    expect(await group.hubState()).toEqual(before);
  });
});

/** Milliseconds since the Unix epoch. */
function now(): number {
  return performance.timeOrigin + performance.now();
}

function first<T>(items: readonly T[]): T {
  const [item] = items;
  if (item === undefined) throw new Error('expected at least one item');
  return item;
}

/** Shows one duration, or a summary of several, in milliseconds. */
function print(what: string, durations: number | readonly number[]): void {
  const shown: number | Summary = typeof durations === 'number' ? Math.round(durations) : summaryOf(durations);
  process.stderr.write(`    ${what}: ${JSON.stringify(shown)} ms\n`);
}
