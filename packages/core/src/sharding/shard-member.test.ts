import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { getEventListeners } from 'node:events';
import type { Logger } from '@mcr/client';
import { Lease, silentLogger } from '@mcr/client';
import { VirtualClock } from '@mcr/client/testing';
import type { OwnershipState } from '../fleet/multicluster/ownership.ts';
import { InMemoryClient } from '../testing/in-memory-client.ts';
import { LeaseHub } from './lease/lease-hub.ts';
import type { LeaseHubOptions } from './lease/lease-hub.ts';
import { DEFAULT_RULES } from './membership/rules.ts';
import { FakeWork, ShardScene, SLOTS } from './shard-group.fixture.ts';
import { ShardMember } from './shard-member.ts';

const { leaseDuration, margin, drainTimeout, warmTimeout } = DEFAULT_RULES;
const EVICTION = leaseDuration + margin;
/** For a test that computes for 5 s, on a busy machine. In milliseconds. */
const LONG = 300_000;

describe('a member of a group', () => {
  let scene: ShardScene;
  beforeEach(() => {
    scene = new ShardScene();
  });
  afterEach(async () => {
    await scene.end();
    expect(scene.clock.pendingTimers).toBe(0);
  });

  /** Starts replicas, and waits until all of them have slots and nothing changes any more. */
  async function started(...names: string[]) {
    const replicas = names.map((name) => scene.start(name));
    await scene.until(() => scene.isServed && replicas.every(({ writable }) => writable.length > 0), 60_000);
    await scene.advance(10_000);
    scene.resetGaps();
    return replicas;
  }

  it('SH-1: a single replica owns all slots within 2 s of the first start', async () => {
    const replica = scene.start('a');
    expect(replica.member.status()).toMatchObject({ fence: 'closed', epoch: 0, isCurrent: false });
    await scene.advance(2_000);
    expect(replica.writable).toHaveLength(SLOTS);
    expect(replica.member.status()).toMatchObject({
      replica: 'a',
      fence: 'open',
      isCurrent: true,
      slots: SLOTS,
      held: { active: SLOTS, warming: 0, draining: 0 },
      replicas: ['a'],
      plans: 1,
    });
    expect(replica.member.status()).not.toHaveProperty('problem');
    expect(replica.member.ownerOf(0)).toBe('a');
  });

  it('SH-18: a new replica is a member once the plan that it has acknowledged names it, also with the weight 0', async () => {
    await started('a');
    for (const [name, weight] of [
      ['b', 1],
      ['c', 0],
    ] as const) {
      const added = scene.start(name, { weight });
      await scene.advance(3_000);
      expect(added.member.status()).toMatchObject({ fence: 'open', isCurrent: true, isMember: false });
      await scene.until(() => added.member.status().isMember, 10_000);
      expect(added.member.status()).toMatchObject({ isCurrent: true });
      expect(added.member.status().replicas).toContain(name);
      await scene.advance(10_000);
      expect(added.writable.length > 0).toBe(weight > 0);
      expect(added.member.status().isMember).toBe(true);
    }
  });

  it.each([
    ['a', 'b', 'c'],
    ['c', 'b', 'a'],
    ['b', 'c', 'a', 'd', 'e'],
  ])('SH-1: replicas that start together own all slots within 6 s, whichever comes first', async (...names) => {
    for (const name of names) {
      scene.start(name);
      await scene.advance(50);
    }
    await scene.advance(6_000);
    expect(scene.isServed).toBe(true);
    await scene.advance(60_000);
    expect(scene.replicas.every(({ writable }) => writable.length > 0)).toBe(true);
  });

  it('SH-1: after a crash of the only replica, the next one owns all slots within the eviction time + 2 s', async () => {
    const [first] = await started('a');
    await first?.crash();
    expect(first?.writable).toEqual([]);
    const next = scene.start('a');
    await scene.advance(EVICTION + 2_000);
    expect(next.writable).toHaveLength(SLOTS);
    expect(next.member.status()).toMatchObject({ evictions: 1, replicas: ['a'] });
  });

  it('divides the slots among replicas without a moment in which two own one', async () => {
    const replicas = await started('a', 'b', 'c');
    for (const { writable } of replicas) expect(writable.length).toBeGreaterThanOrEqual(4);
    for (const { member } of replicas) expect(member.status()).toMatchObject({ replicas: ['a', 'b', 'c'] });
  });

  it('SH-6: the slots of a replica that crashed are active elsewhere within the eviction time + 2 s', async () => {
    const [, crashed] = await started('a', 'b', 'c');
    await crashed?.crash();
    await scene.advance(EVICTION + 2_000);
    expect(scene.isServed).toBe(true);
    expect(scene.replicas.map(({ member }) => member.status().evictions).reduce((sum, one) => sum + one)).toBe(1);
  });

  it('SH-4: a replica that was paused past its lease may write nothing, and joins again as a new member', async () => {
    const [, paused] = await started('a', 'b');
    if (!paused) throw new Error('no replica');
    const before = [...scene.hub.members.keys()].find((name) => name.startsWith('b-'));
    paused.clock.pause();
    await scene.advance(leaseDuration - margin);
    // Nothing has run in it: the fence depends on the clock alone.
    expect(paused.writable).toEqual([]);
    await scene.advance(2 * margin + 2_000);
    expect(scene.isServed).toBe(true);
    paused.clock.resume();
    expect(paused.writable).toEqual([]);
    await scene.until(() => paused.writable.length > 0, 60_000);
    const names = [...scene.hub.members].filter(([, { type }]) => type === 'member').map(([name]) => name);
    expect(names).toHaveLength(2);
    expect(names).not.toContain(before);
  });

  it('SH-11: during an outage of the hub, fences close, nothing is evicted or planned, and all resume within 10 s', async () => {
    const replicas = await started('a', 'b', 'c');
    const plans = scene.hub.plans.length;
    const slots = replicas.map(({ writable }) => writable);
    for (const replica of replicas) replica.isCutOff = true;
    await scene.advance(5_000);
    // They work on, and say what will happen.
    expect(replicas.map(({ writable }) => writable)).toEqual(slots);
    for (const { member } of replicas) {
      expect(member.status()).toMatchObject({ fence: 'open', problem: 'the hub did not answer within 2000 ms' });
    }
    await scene.advance(leaseDuration - margin - 5_000);
    for (const { member, writable } of replicas) {
      expect(writable).toEqual([]);
      expect(member.status()).toMatchObject({ fence: 'closed', problem: 'the hub did not answer within 2000 ms' });
    }
    await scene.advance(60_000);
    for (const replica of replicas) replica.isCutOff = false;
    await scene.advance(10_000);
    expect(replicas.map(({ writable }) => writable)).toEqual(slots);
    await scene.advance(30_000);
    expect(scene.hub.plans.length).toBe(plans);
    for (const { member } of replicas) {
      expect(member.status()).toMatchObject({ fence: 'open', evictions: 0 });
      expect(member.status()).not.toHaveProperty('problem');
    }
  });

  it('SH-13: an unreadable plan is rewritten, and all slots are served again', async () => {
    await started('a', 'b');
    scene.hub.putPlan({ type: 'unreadable', reason: 'not JSON', resourceVersion: scene.hub.version() });
    await scene.advance(1_000);
    await scene.until(() => scene.hub.plan?.type === 'plan' && scene.isServed, 2 * EVICTION + drainTimeout + 10_000);
  });

  it('SH-13: a plan of a newer format is never rewritten, and the status says so', async () => {
    const [replica] = await started('a');
    const newer = { type: 'newer', format: 2, resourceVersion: scene.hub.version() } as const;
    scene.hub.putPlan(newer);
    await scene.advance(120_000);
    expect(scene.hub.plan).toBe(newer);
    expect(replica?.writable).toEqual([]);
    expect(replica?.member.status().problem).toBe(
      'the plan has format 2, which is newer than this version of mcr reads: update this replica',
    );
  });

  it('SH-5: a replica that leaves hands over its slots, each without an owner for at most 1 s', async () => {
    const [, leaver] = await started('a', 'b', 'c');
    const left = leaver?.member.leave();
    await scene.until(() => leaver?.writable.length === 0, 20_000);
    await scene.advance(2_000);
    await Promise.all([left, leaver?.stopped]);
    expect(scene.isServed).toBe(true);
    expect(scene.longestGap).toBeLessThanOrEqual(1_000);
    for (const { member } of scene.replicas) expect(member.status().evictions).toBe(0);
    expect(leaver?.member.status().fence).toBe('closed');
  });

  it('keeps the fence open for reconciles in progress, and gives the slot away when they have ended', async () => {
    const [other, leaver] = await started('a', 'b');
    if (!other || !leaver) throw new Error('no replica');
    const [slot = -1] = leaver.writable;
    leaver.work.busy.add(slot);
    void leaver.member.leave();
    await scene.until(() => leaver.member.stateOf(slot) === 'draining', 20_000);
    await scene.advance(2_000);
    expect(leaver.writable).toEqual([slot]);
    expect(other.member.stateOf(slot)).toBe('warming');
    expect(leaver.member.status().held).toEqual({ active: 0, warming: 0, draining: 1 });
    leaver.work.finish(slot);
    await scene.advance(0);
    expect(leaver.member.mayWrite(slot)).toBe(false);
    await scene.advance(1_000);
    expect(other.member.mayWrite(slot)).toBe(true);
    await leaver.stopped;
  });

  it('SH-4: says why it may not write, and names no other owner unless there is one', async () => {
    const [a, b] = await started('a', 'b');
    if (!a || !b) throw new Error('no replica');
    const [slot = -1] = b.writable;
    expect(a.member.refusalOf(slot)).toBeUndefined();
    b.work.busy.add(slot);
    void b.member.leave();
    await scene.until(() => b.member.stateOf(slot) === 'draining', 20_000);
    expect(a.member.refusalOf(slot)).toMatch(/^this replica is the next owner/u);
    await scene.until(() => !b.member.mayWrite(slot), 20_000);
    a.isCutOff = true;
    await scene.advance(leaseDuration);
    expect(a.member.refusalOf(slot)).toMatch(/^its Lease was not renewed in time/u);
    await scene.advance(60_000);
    await b.stopped;
    expect(b.member.refusalOf(slot)).toBe('this replica is not a member of its group');
    a.isCutOff = false;
  });

  it('SH-8: moves slots away from the replica whose clusters are busy, and stops when the loads stop changing', async () => {
    const replicas = await started('a', 'b', 'c');
    const busy = new Set(replicas[0]?.writable.slice(0, 2));
    const loadOf = (slot: number) => (busy.has(slot) ? 50 : 10);
    for (const replica of replicas) {
      replica.work.loads = () => new Map(Array.from({ length: SLOTS }, (_, slot) => [slot, 10]));
      replica.work.measure = () => new Map(replica.writable.map((slot) => [slot, loadOf(slot)]));
      replica.work.changed();
    }
    await scene.advance(300_000);
    const carried = replicas.map(({ writable }) => writable.reduce((sum, slot) => sum + loadOf(slot), 0));
    const fair = carried.reduce((sum, load) => sum + load, 0) / replicas.length;
    expect(Math.max(...carried)).toBeLessThanOrEqual(Math.max(1.25 * fair, fair + 50));
    const plans = () => replicas.reduce((sum, { member }) => sum + member.status().plans, 0);
    const written = plans();
    await scene.advance(300_000);
    expect(plans()).toBe(written);
  });

  it('SH-5: reports the slots of a handover together, so that its cost does not grow with the square of the slots', async () => {
    const [, leaver] = await started('a', 'b');
    if (!leaver) throw new Error('no replica');
    const slots = leaver.writable;
    for (const slot of slots) leaver.work.busy.add(slot);
    void leaver.member.leave();
    await scene.until(() => slots.every((slot) => leaver.member.stateOf(slot) === 'draining'), 20_000);
    const changes: number[] = [];
    leaver.member.onChange(({ size }) => changes.push(size));
    for (const slot of slots) leaver.work.finish(slot);
    await scene.advance(1_000);
    expect(changes).toEqual([slots.length]);
    await leaver.stopped;
  });

  it('closes the fence after the drain timeout, whatever still runs', async () => {
    const [other, leaver] = await started('a', 'b');
    const [slot = -1] = leaver?.writable ?? [];
    leaver?.work.busy.add(slot);
    void leaver?.member.leave();
    await scene.until(() => leaver?.member.stateOf(slot) === 'draining', 20_000);
    await scene.advance(drainTimeout);
    expect(leaver?.member.mayWrite(slot)).toBe(false);
    await scene.advance(1_000);
    expect(other?.member.mayWrite(slot)).toBe(true);
  });

  it('gives a slot to its next owner once that one is warm, and after the warm timeout in any case', async () => {
    const [other, leaver] = await started('a', 'b');
    if (!other || !leaver) throw new Error('no replica');
    const slots = leaver.writable;
    for (const slot of slots) other.work.cold.add(slot);
    void leaver.member.leave();
    await scene.advance(30_000);
    expect(leaver.writable).toEqual(slots);
    for (const slot of slots) expect(other.member.stateOf(slot)).toBe('warming');
    for (const slot of slots.slice(1)) other.work.finish(slot);
    await scene.advance(5_000);
    expect(leaver.writable).toEqual(slots.slice(0, 1));
    await scene.advance(warmTimeout - 30_000);
    expect(other.writable).toHaveLength(SLOTS);
    await leaver.stopped;
  });

  it('gives up leaving if the hub cannot be reached, after all slots are closed', async () => {
    const [replica] = await started('a');
    if (!replica) throw new Error('no replica');
    replica.isCutOff = true;
    let hasLeft = false;
    void replica.member.leave().then(() => (hasLeft = true));
    await scene.until(() => hasLeft, warmTimeout + drainTimeout + 5_000);
    expect(replica.writable).toEqual([]);
  });

  it('leaves at once while it is silent, and while it has not joined', async () => {
    const [silent] = await started('a');
    // It saw this plan, so its absence means that the hub went back in time.
    scene.hub.putPlan(undefined);
    await scene.advance(1_000);
    expect(silent?.member.status().problem).toBe('the plan was deleted');
    void silent?.member.leave();
    await scene.advance(50);
    await silent?.stopped;

    const stranger = scene.start('b');
    stranger.isCutOff = true;
    void stranger.member.leave();
    await scene.advance(50);
    await stranger.stopped;
  });

  it('stays silent after the hub went back in time, and then joins as a new member', async () => {
    const [replica] = await started('a');
    const [before] = scene.hub.members.keys();
    scene.hub.putPlan(undefined);
    await scene.advance(1_000);
    const requests = replica?.requests.length;
    await scene.advance(EVICTION - 2_000);
    expect(replica?.requests.length).toBe(requests);
    expect(replica?.writable).toEqual([]);
    await scene.until(() => scene.isServed, 2 * EVICTION + drainTimeout + 10_000);
    const members = [...scene.hub.members.values()].filter(({ type }) => type === 'member');
    expect(members).toHaveLength(1);
    expect(members[0]?.name).not.toBe(before);
  });

  it('reads at once when the watch notices a change', async () => {
    const [replica] = await started('a');
    const reads = () => replica?.requests.filter((type) => type === 'read').length ?? 0;
    // Right after a renewal and its read, so that none is due for a while.
    const before = reads();
    await scene.until(() => reads() > before, 5_000);
    await scene.advance(500);
    const since = reads();
    scene.hub.putMember({ type: 'out', name: 'stranger-0', resourceVersion: scene.hub.version() });
    await scene.advance(100);
    expect(reads()).toBe(since + 1);
  });

  it('SH-17: renews less often in a group of more than 20 replicas, and as before when they have left', async () => {
    for (let n = 0; n < 24; n++) scene.start(`replica-${String(n).padStart(2, '0')}`);
    await scene.advance(25_000);
    const durations = () =>
      [...scene.hub.members.values()].map((lease) => (lease.type === 'member' ? lease.record.leaseDuration : 0));
    expect(durations()).toEqual(Array.from({ length: 24 }, () => (leaseDuration * 24) / 20));
    for (const { member } of scene.replicas.slice(0, 8)) void member.leave();
    await scene.advance(25_000);
    expect(durations().filter((duration) => duration > 0)).toEqual(Array.from({ length: 16 }, () => leaseDuration));
    expect(scene.isServed).toBe(true);
  });

  it(
    'SH-6: replicas that crash again and again are evicted in the usual time',
    async () => {
      for (let n = 0; n < 18; n++) scene.start(`replica-${n}`);
      await scene.advance(20_000);
      // One replica crashes every 1.5 s, and is started again at once.
      for (let time = 0; time < 120; time++) {
        const crashed = scene.replicas.shift();
        await crashed?.crash();
        scene.start(crashed?.member.status().replica ?? '');
        await scene.advance(1_500);
      }
      const present = [...scene.hub.members.values()].filter(({ type }) => type === 'member');
      expect(present.length).toBeGreaterThan(18);
      const durations = present.map((lease) => (lease.type === 'member' ? lease.record.leaseDuration : 0));
      expect(Math.max(...durations)).toBeLessThanOrEqual(1.5 * leaseDuration);
      await scene.advance(1.5 * EVICTION + 10_000);
      expect(scene.isServed).toBe(true);
    },
    LONG,
  );

  it('SH-12: warns once if another process with the same replicaId renews its Lease', async () => {
    const [first] = await started('a', 'b');
    expect(scene.replicas.flatMap(({ warnings }) => warnings)).toEqual([]);
    const second = scene.start('a');
    await scene.advance(30_000);
    const warning = ['two replicas use the same replicaId, give each its own sharding.replicaId', { replicaId: 'a' }];
    expect(scene.replicas.map(({ warnings }) => warnings)).toEqual([[warning], [], [warning]]);
    expect(first?.member.status()).toMatchObject({ fence: 'open', replicas: ['a', 'a', 'b'] });
    expect(second.member.status()).not.toHaveProperty('problem');
  });

  it('SH-12: does not warn of the previous process of a replica that was restarted', async () => {
    const [, restarted] = await started('a', 'b');
    await restarted?.crash();
    const again = scene.start('b');
    await scene.advance(60_000);
    expect(again.warnings.filter(([message]) => message.includes('replicaId'))).toEqual([]);
  });

  it('sends few requests in quiet: one renewal and one read in each interval', async () => {
    const [replica] = await started('a', 'b');
    const before = replica?.requests.length ?? 0;
    await scene.advance(60_000);
    const requests = replica?.requests.slice(before) ?? [];
    expect(requests.filter((type) => type !== 'read').length).toBeLessThanOrEqual(21);
    expect(requests.length).toBeLessThanOrEqual(45);
  });

  it('notifies listeners of all changes, in order, even if another one throws', async () => {
    const replica = scene.start('a');
    const states = new Map<number, OwnershipState[]>();
    replica.member.onChange(() => {
      throw new Error('broken');
    });
    const stop = replica.member.onChange((changes) => {
      for (const [slot, state] of changes) states.set(slot, [...(states.get(slot) ?? []), state]);
    });
    await scene.advance(2_000);
    expect([...states.keys()].sort((a, b) => a - b)).toEqual(Array.from({ length: SLOTS }, (_, slot) => slot));
    for (const list of states.values()) expect(list.at(-1)).toBe('active');
    stop();
    states.clear();
    await scene.advance(1_000);
    replica.isCutOff = true;
    await scene.advance(20_000);
    expect(states.size).toBe(0);
  });
});

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

interface StartOptions {
  readonly slots?: number;
  readonly controllers?: readonly string[];
}

describe('a member with Leases', () => {
  const cache = {
    subscribe: () => Promise.resolve({ remove: () => undefined }),
  } as unknown as LeaseHubOptions['cache'];
  let clock: VirtualClock;
  let client: InMemoryClient;
  let end: AbortController;
  beforeEach(() => {
    clock = new VirtualClock();
    client = new InMemoryClient();
    end = new AbortController();
    warnings = [];
  });

  let warnings: string[];

  function start(replicaId: string, { slots = 16, controllers = [] }: StartOptions = {}) {
    const group = { name: 'copier', namespace: 'fleet', slots, controllers: new Set(controllers) };
    const hub = new LeaseHub({ group, client, cache, clock, timeout: 2_000 });
    const warn = (message: string, fields?: object) => void warnings.push(`${message} ${JSON.stringify(fields)}`);
    const logger: Logger = { ...silentLogger, warn, child: () => logger };
    const options = { replicaId, slots, weight: 1, rules: DEFAULT_RULES, hub, clock, logger };
    const member = new ShardMember(options);
    member.attach(new FakeWork());
    return { member, running: member.run(end.signal) };
  }

  it('SH-14: does not take part in a group of another program, and says so', async () => {
    const old = start('a', { controllers: ['copier cluster', 'cleaner uid'] });
    await clock.advance(5_000);
    const next = start('b', { controllers: ['copier cluster', 'reporter cluster'] });
    const unknown = start('c');
    await clock.advance(60_000);
    expect(old.member.status().replicas).toEqual(['a', 'b', 'c']);
    const stranger = start('d', { controllers: ['backup cluster'] });
    await clock.advance(60_000);
    expect(stranger.member.status()).toMatchObject({ fence: 'closed', epoch: 0, replicas: [], plans: 0 });
    expect(stranger.member.status().problem).toMatch(
      /lease fleet\/copier-plan belongs to replicas with other controllers \(.*"copier".*\) than this one \("backup"\), so that two programs use the sharding.name "copier": choose another sharding.name/u,
    );
    const members = [old, next, unknown];
    for (const { member } of members)
      expect(member.status()).toMatchObject({ fence: 'open', replicas: ['a', 'b', 'c'] });
    for (const { member } of members) expect(member.status()).not.toHaveProperty('problem');
    // It takes part when the replicas of the other program have left.
    await Promise.all([...members.map(({ member }) => member.leave()), clock.advance(30_000)]);
    await clock.advance(5_000);
    expect(stranger.member.status()).toMatchObject({ fence: 'open', held: { active: 16 }, replicas: ['d'] });
    end.abort();
    await Promise.all([...members, stranger].map(({ running }) => running));
  });

  it.each(['deleted', 'damaged'])(
    'SH-14: a replica that was refused does not take the group over when the plan is %s',
    async (change) => {
      const members = ['a', 'b'].map((name) => start(name));
      await clock.advance(30_000);
      const wrong = start('c', { slots: 32 });
      await clock.advance(10_000);
      const plan = await client.get(Lease, { namespace: 'fleet', name: 'copier-plan' });
      if (change === 'deleted') await client.delete(Lease, { namespace: 'fleet', name: 'copier-plan' });
      else await client.update(Lease, { ...plan, metadata: { ...plan.metadata, annotations: {} } });
      await clock.advance(90_000);
      expect(sum(members.map(({ member }) => member.status().held.active))).toBe(16);
      expect(wrong.member.status()).toMatchObject({ fence: 'closed', plans: 0 });
      expect(wrong.member.status().problem).toContain('with 16 slots, and this replica to "copier" with 32 slots');
      end.abort();
      await Promise.all([...members, wrong].map(({ running }) => running));
    },
  );

  it('SH-14: does not take part in a group with another slot count, and says so', async () => {
    const right = start('a');
    await clock.advance(5_000);
    expect(right.member.status()).toMatchObject({ fence: 'open', held: { active: 16 } });
    const wrong = start('b', { slots: 32 });
    await clock.advance(60_000);
    expect(wrong.member.status()).toMatchObject({ fence: 'closed', epoch: 0, replicas: [], plans: 0 });
    expect(wrong.member.status().problem).toContain(
      '"copier" with 16 slots, and this replica to "copier" with 32 slots: give all replicas of a group the same sharding.slots',
    );
    expect(right.member.status()).toMatchObject({ fence: 'open', held: { active: 16 }, replicas: ['a'], evictions: 0 });
    expect(right.member.status()).not.toHaveProperty('problem');
    end.abort();
    await Promise.all([right.running, wrong.running]);
    expect(clock.pendingTimers).toBe(0);
    expect(getEventListeners(end.signal, 'abort')).toEqual([]);
  });

  it.each<[string, StartOptions, StartOptions]>([
    ['slot counts', { slots: 16 }, { slots: 32 }],
    ['controllers', { controllers: ['copier cluster'] }, { controllers: ['backup cluster'] }],
    ['divisions', { controllers: ['copier cluster'] }, { controllers: ['copier uid'] }],
  ])(
    'SH-14: one of two groups with other %s that start together works, and the plan refuses the other one',
    async (_, one, other) => {
      const members = [start('a', one), start('b', other)];
      await clock.advance(60_000);
      const working = members.filter(({ member }) => member.status().fence === 'open');
      expect(working).toHaveLength(1);
      const [{ member } = {}] = working;
      expect(member?.status().held.active).toBe(member?.slots);
      const refused = members.find((candidate) => candidate !== working[0])?.member.status();
      expect(refused).toMatchObject({ fence: 'closed', held: { active: 0, warming: 0 } });
      expect(refused?.problem).toMatch(/^lease fleet\/copier-plan (belongs to|divides)/u);
      // Nothing changes any more.
      const plans = member?.status().plans;
      await clock.advance(120_000);
      expect(member?.status()).toMatchObject({ plans, fence: 'open', held: { active: member?.slots } });
      end.abort();
      await Promise.all(members.map(({ running }) => running));
    },
  );

  it('SH-10: a version that divides a controller differently takes part when the old replicas have crashed', async () => {
    const old = start('a', { controllers: ['copier cluster'] });
    await clock.advance(5_000);
    const next = ['b', 'c'].map((name) => start(name, { controllers: ['copier uid'] }));
    await clock.advance(60_000);
    for (const { member } of next) {
      expect(member.status().problem).toMatch(
        /divides the requests of controller "copier" by cluster, and this replica by uid/u,
      );
      expect(member.status()).toMatchObject({ fence: 'closed', plans: 0 });
    }
    expect(old.member.status()).toMatchObject({ fence: 'open', held: { active: 16 }, evictions: 0 });
    end.abort();
    await Promise.all([old, ...next].map(({ running }) => running));
    end = new AbortController();
    const again = ['d', 'e'].map((name) => start(name, { controllers: ['copier uid'] }));
    await clock.advance(10_000);
    expect(again.map(({ member }) => member.status().fence)).toEqual(['closed', 'closed']);
    await clock.advance(60_000);
    const held = again.map(({ member }) => member.status().held.active);
    expect([sum(held), Math.min(...held) > 0]).toEqual([16, true]);
    expect(warnings.filter((line) => line.startsWith('the plan cannot be read, writing a new one'))).not.toEqual([]);
    end.abort();
    await Promise.all(again.map(({ running }) => running));
  });

  it('SH-14: a stray Lease of another group does not stop a group, which reports and evicts it', async () => {
    const members = ['a', 'b'].map((name) => start(name));
    await clock.advance(30_000);
    const annotations = {
      'shard.mcr.dev/sequence': '1',
      'shard.mcr.dev/member': JSON.stringify({ format: 1, group: 'copier', slots: 512 }),
    };
    const labels = { 'shard.mcr.dev/group': 'copier' };
    const metadata = { namespace: 'fleet', name: 'copier-c-0', labels, annotations };
    await client.create(Lease, { metadata, spec: { holderIdentity: 'c-0' } });
    for (let second = 0; second < 40; second++) {
      await clock.advance(1_000);
      const held = members.map(({ member }) => member.status().held.active);
      expect([sum(held), members.map(({ member }) => member.status().fence)]).toEqual([16, ['open', 'open']]);
    }
    const reports = warnings.filter((line) => line.startsWith('the Lease of a member cannot be read'));
    expect(reports).toHaveLength(2);
    expect(reports[0]).toBe(
      'the Lease of a member cannot be read, evicting it if it is not renewed ' +
        '{"member":"c-0","reason":"it belongs to the group \\"copier\\" with 512 slots, and this replica to \\"copier\\" with 16 slots"}',
    );
    const stray = await client.get(Lease, { namespace: 'fleet', name: 'copier-c-0' });
    expect(stray.spec?.holderIdentity).toBe('');
    end.abort();
    await Promise.all(members.map(({ running }) => running));
  });

  it('SH-13: reports a plan that cannot be read, once', async () => {
    const members = ['a', 'b'].map((name) => start(name));
    await clock.advance(30_000);
    const plan = await client.get(Lease, { namespace: 'fleet', name: 'copier-plan' });
    const annotations = { 'shard.mcr.dev/plan': '{' };
    await client.update(Lease, { ...plan, metadata: { ...plan.metadata, annotations } });
    await clock.advance(60_000);
    const report =
      'the plan cannot be read, writing a new one {"reason":"the annotation shard.mcr.dev/plan is not JSON"}';
    expect(warnings.filter((line) => line === report).length).toBeLessThanOrEqual(2);
    expect(warnings).toContain(report);
    const held = members.map(({ member }) => member.status().held.active);
    expect(sum(held)).toBe(16);
    end.abort();
    await Promise.all(members.map(({ running }) => running));
  });

  it('SH-13: a plan with an epoch that no later one can follow is written again', async () => {
    const members = ['a', 'b'].map((name) => start(name));
    await clock.advance(30_000);
    const plan = await client.get(Lease, { namespace: 'fleet', name: 'copier-plan' });
    const text = plan.metadata.annotations?.['shard.mcr.dev/plan'] ?? '';
    const annotations = { 'shard.mcr.dev/plan': text.replace(/"epoch":\d+/u, `"epoch":${Number.MAX_SAFE_INTEGER}`) };
    await client.update(Lease, { ...plan, metadata: { ...plan.metadata, annotations } });
    await clock.advance(60_000);
    const held = members.map(({ member }) => member.status().held.active);
    expect(sum(held)).toBe(16);
    expect(Math.max(...members.map(({ member }) => member.status().epoch))).toBeLessThan(100);
    // Plans can follow.
    const third = start('c');
    await clock.advance(60_000);
    expect(third.member.status()).toMatchObject({ fence: 'open', replicas: ['a', 'b', 'c'] });
    end.abort();
    await Promise.all([...members, third].map(({ running }) => running));
  });

  it('rejects, and writes nothing more, if the hub breaks its contract', async () => {
    const hub = { perform: () => Promise.reject(new Error('a defect')), follow: () => undefined };
    const options = { replicaId: 'a', slots: 4, weight: 1, rules: DEFAULT_RULES, hub, clock, logger: silentLogger };
    const member = new ShardMember(options);
    await expect(member.run(new AbortController().signal)).rejects.toThrow('a defect');
    expect(member.mayWrite(0)).toBe(false);
    expect(clock.pendingTimers).toBe(0);
    await member.leave();
  });
});
