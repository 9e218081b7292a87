import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createClient, EventsV1Event, Lease, silentLogger } from '@mcr/client';
import { VirtualClock } from '@mcr/client/testing';
import type { ControlPlane } from '@mcr/envtest';
import { createControlPlane } from '@mcr/envtest';
import type { Cluster } from '../fleet/cluster/cluster.ts';
import { FakeCluster } from '../fleet/cluster/fake-cluster.fixture.ts';
import { createNopProvider } from '../provider/nop-provider.ts';
import { BroadcastCoordinator } from '../fleet/coordinator/broadcast-coordinator.ts';
import { isLeaderElectionLost } from './leader-election/leader-election-lost-error.ts';
import type { Way } from './leader-election/lease-server.fixture.ts';
import { LeaseServer } from './leader-election/lease-server.fixture.ts';
import { createManager } from './create-manager.ts';
import type { Manager } from './manager.ts';
import type { ManagerParts } from './multi-cluster-manager.ts';
import { MultiClusterManager } from './multi-cluster-manager.ts';
import type { Runnable, RunnableGroup } from './runnable.ts';

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

function recorded(name: string, log: string[], group?: RunnableGroup): Runnable {
  return {
    ...(group && { group }),
    async run(signal) {
      log.push(`${name} starts`);
      await untilAborted(signal);
      log.push(`${name} stopped`);
    },
  };
}

describe('a manager with leader election', () => {
  const NEVER: Way = { latency: { there: 0, back: 0 }, lost: 'request' };
  let clock: VirtualClock;
  let server: LeaseServer;
  let way: Way;
  beforeEach(() => {
    clock = new VirtualClock();
    server = new LeaseServer(clock);
    way = { latency: { there: 1, back: 1 } };
  });

  function newManager(identity: string, parts: Partial<ManagerParts> = {}): MultiClusterManager {
    const { reader, writer } = server.client(() => way);
    const localCluster: Cluster = Object.assign(FakeCluster.ready(), { apiReader: reader, client: writer });
    return new MultiClusterManager({
      localCluster,
      coordinator: new BroadcastCoordinator(),
      logger: silentLogger,
      clock,
      controllerOptions: {},
      gracefulShutdownTimeout: 30_000,
      leaderElection: {
        id: 'copy',
        namespace: 'fleet',
        identity,
        leaseDuration: 15_000,
        renewDeadline: 10_000,
        retryPeriod: 2_000,
        releaseOnCancel: true,
      },
      ...parts,
    });
  }

  function start(manager: Manager) {
    const end = new AbortController();
    const outcome = manager.start(end.signal).then(
      () => 'resolved' as const,
      (error: unknown) => error,
    );
    return { end, outcome };
  }

  it('MG-4: starts servers, caches, others and warm-ups before the election, leader-elected and the provider after it', async () => {
    const log: string[] = [];
    const provider = Object.assign(createNopProvider(), {
      run: async (_: unknown, signal: AbortSignal) => recorded('provider', log).run(signal),
    });
    const other = newManager('other');
    const first = start(other);
    await clock.advance(10);
    const manager = newManager('me', { provider });
    await manager.add({
      ...recorded('leader-elected', log, 'leader-elected'),
      warmUp: async (signal) => recorded('warm-up', log).run(signal),
    });
    await manager.add(recorded('other', log));
    await manager.add(recorded('cache', log, 'cache'));
    await manager.add(recorded('server', log, 'server'));
    const { end, outcome } = start(manager);
    await clock.advance(5_000);
    expect(log).toEqual(['server starts', 'cache starts', 'other starts', 'warm-up starts']);
    expect([other.isLeader(), manager.isLeader()]).toEqual([true, false]);

    first.end.abort();
    await clock.advance(5_000);
    await first.outcome;
    await manager.elected;
    expect(manager.isLeader()).toBe(true);
    expect(log.slice(4)).toEqual(['leader-elected starts', 'provider starts']);

    log.length = 0;
    end.abort();
    await clock.advance(10);
    expect(await outcome).toBe('resolved');
    expect(log).toEqual([
      'provider stopped',
      'leader-elected stopped',
      'warm-up stopped',
      'other stopped',
      'cache stopped',
      'server stopped',
    ]);
    expect(server.lease?.spec?.holderIdentity).toBe('');
    expect(clock.pendingTimers).toBe(0);
  });

  it.each<[string, Partial<Runnable>]>([
    ['works without leading', {}],
    ['warms up', { group: 'leader-elected', warmUp: untilAborted }],
  ])('CT-15: brings clusters to a process that does not lead, for what %s', async (_, more) => {
    const log: string[] = [];
    const provider = Object.assign(createNopProvider(), {
      run: async (_aware: unknown, signal: AbortSignal) => recorded('provider', log).run(signal),
    });
    way = NEVER;
    const manager = newManager('me', { provider });
    await manager.add({ run: untilAborted, engage: async () => undefined, ...more });
    const { end, outcome } = start(manager);
    await clock.advance(10);
    expect(log).toEqual(['provider starts']);
    end.abort();
    await clock.advance(10);
    expect(await outcome).toBe('resolved');
  });

  it('MG-5: aborts all leader-elected work when the lease is lost, and rejects before another process may take it', async () => {
    const manager = newManager('me', { gracefulShutdownTimeout: -1 });
    const aborted: number[] = [];
    const stubborn: Runnable = {
      group: 'leader-elected',
      run: async (signal) => {
        await untilAborted(signal);
        aborted.push(clock.now());
        await new Promise(() => undefined);
      },
    };
    await manager.add(stubborn);
    await manager.add({ ...stubborn, group: 'provider' });
    const { outcome } = start(manager);
    await clock.advance(1_000);
    way = NEVER;
    const rejectedAt = outcome.then(() => clock.now());
    await clock.advance(30_000);
    expect(isLeaderElectionLost(await outcome)).toBe(true);
    // Sent at 2 ms: the deadline is at 10,002 ms, and the lease cannot be taken before 15,002 ms.
    expect(aborted).toEqual([10_002, 10_002]);
    expect(await rejectedAt).toBe(15_002);
    expect(clock.pendingTimers).toBe(0);
  });

  it('MG-5: does not release the lease while leader-elected work has not stopped', async () => {
    const manager = newManager('me', { gracefulShutdownTimeout: 1_000 });
    await manager.add({ group: 'leader-elected', run: () => new Promise(() => undefined) });
    const { end, outcome } = start(manager);
    await clock.advance(10);
    end.abort();
    await clock.advance(1_000);
    expect(((await outcome) as Error).message).toMatch('1 runnable has not stopped within the grace period of 1000 ms');
    expect(server.lease?.spec?.holderIdentity).toBe('me');
  });

  it('does not lead if it is stopped before it is elected', async () => {
    const log: string[] = [];
    way = NEVER;
    const manager = newManager('me');
    await manager.add(recorded('leader-elected', log, 'leader-elected'));
    const { end, outcome } = start(manager);
    await clock.advance(60_000);
    end.abort();
    await clock.advance(0);
    expect(await outcome).toBe('resolved');
    expect(log).toEqual([]);
  });
});

describe('two managers over one control plane', () => {
  let plane: ControlPlane;
  beforeAll(async () => {
    plane = await createControlPlane();
  });
  afterAll(() => plane.stop());

  const newManager = (working: Set<string>, name: string) =>
    createManager({
      config: plane.config,
      logger: silentLogger,
      metrics: { bindAddress: '0' },
      leaderElection: {
        id: 'copy',
        namespace: 'default',
        leaseDuration: 60_000,
        renewDeadline: 40_000,
        retryPeriod: 100,
      },
    }).then(async (manager) => {
      await manager.add({
        group: 'leader-elected',
        run: async (signal) => {
          working.add(name);
          expect(working.size).toBe(1);
          await untilAborted(signal);
          working.delete(name);
        },
      });
      return manager;
    });

  it('MG-5: one leads, and the other takes over when it stops', async () => {
    await using client = createClient(plane.config);
    const working = new Set<string>();
    const [one, two] = [await newManager(working, 'one'), await newManager(working, 'two')];
    const [endOne, endTwo] = [new AbortController(), new AbortController()];
    const startedOne = one.start(endOne.signal);
    await one.elected;
    const startedTwo = two.start(endTwo.signal);
    const lease = await client.get(Lease, { namespace: 'default', name: 'copy' });
    expect(lease.spec).toMatchObject({ leaseDurationSeconds: 60, leaseTransitions: 0 });
    expect([...working, one.isLeader(), two.isLeader()]).toEqual(['one', true, false]);

    endOne.abort();
    await startedOne;
    await two.elected;
    expect(two.isLeader()).toBe(true);
    const taken = await client.get(Lease, { namespace: 'default', name: 'copy' });
    expect(taken.spec?.leaseTransitions).toBe(1);
    endTwo.abort();
    await startedTwo;
    expect(working.size).toBe(0);
    const { items } = await client.list(EventsV1Event, { namespace: 'default' });
    const recorded = items.filter(({ regarding }) => regarding?.uid === lease.metadata.uid);
    expect(recorded.map(({ reason, note = '' }) => `${reason}: ${note.replace(/^\S+ /u, '')}`).toSorted()).toEqual([
      'LeaderElection: became leader',
      'LeaderElection: became leader',
      'LeaderElection: stopped leading',
      'LeaderElection: stopped leading',
    ]);
  });

  it('MG-5: stops its work and rejects when another process takes the lease', async () => {
    await using client = createClient(plane.config);
    const working = new Set<string>();
    const manager = await newManager(working, 'one');
    const outcome = manager.start(new AbortController().signal).catch((error: unknown) => error);
    await manager.elected;
    const key = { namespace: 'default', name: 'copy' };
    await client.patch(Lease, key, { spec: { holderIdentity: 'thief' } }, 'merge');
    const error = await outcome;
    expect(isLeaderElectionLost(error)).toBe(true);
    expect((error as Error).message).toBe('the lease default/copy is lost: its holder is now thief');
    expect(working.size).toBe(0);
    await client.delete(Lease, key);
  });
});
