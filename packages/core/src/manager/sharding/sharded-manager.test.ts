import { describe, expect, it } from '@jest/globals';
import { untilAborted } from '@mcr/client';
import { FakeCluster } from '../../fleet/cluster/fake-cluster.fixture.ts';
import { declarationOf } from '../../fleet/clusters/cluster-declaration.ts';
import { isNotOwner } from '../../fleet/multicluster/not-owner-error.ts';
import type { Runnable } from '../runnable.ts';
import { clock, newManager, recorded, running, TestProvider } from '../manager-scene.fixture.ts';
import { FakeSharding } from './fake-sharding.fixture.ts';

describe('a manager of a sharded fleet', () => {
  it('SH-12: names the owner of each cluster, in the fleet status and to callers that need the cluster', async () => {
    const sharding = new FakeSharding();
    const provider = new TestProvider();
    const manager = newManager({ provider, sharding });
    sharding.ownership.set('active', '', 'mine');
    sharding.release();
    await running(manager, async () => {
      const { aware, signal } = await provider.running.promise;
      for (const name of ['mine', 'theirs']) {
        const cluster = FakeCluster.ready({ server: `https://${name}` });
        provider.clusters.ensure(name, declarationOf(cluster), aware, signal);
      }
      await clock.advance(0);
      expect(manager.fleet.list().map(({ name, phase, ownership }) => [name, phase, ownership])).toEqual([
        ['', 'Engaged', { state: 'active', owner: 'replica-a' }],
        ['mine', 'Engaged', { state: 'active', owner: 'replica-a' }],
        ['theirs', 'Discovered', { state: 'elsewhere', owner: 'replica-b' }],
      ]);
      expect((await manager.getCluster('mine')).config.server).toBe('https://mine');
      const error = await manager.getCluster('theirs').catch((caught: unknown) => caught);
      expect([isNotOwner(error), (error as Error).message]).toEqual([
        true,
        expect.stringContaining(
          'cluster "theirs" is owned by replica replica-b: work on it in reconciles of its own requests',
        ),
      ]);
    });
  });

  it('SH-12: finds neither a cluster nor an owner for a name that the fleet does not contain', async () => {
    const sharding = new FakeSharding();
    const manager = newManager({ provider: new TestProvider(), sharding });
    sharding.release();
    await running(manager, async () => {
      await expect(manager.getCluster('typo')).rejects.toThrow('cluster "typo" is not engaged');
    });
  });

  it('SH-12: says that no owner is known before a plan was read', async () => {
    const sharding = new FakeSharding();
    const manager = newManager({ sharding });
    sharding.ownership.owners.set('', undefined);
    sharding.release();
    await running(manager, async () => {
      expect(manager.fleet.get('')?.ownership).toEqual({ state: 'unknown' });
    });
  });

  it('SH-4: gives each engaged cluster the fence of its name, and refuses clusters without fences', async () => {
    const sharding = new FakeSharding();
    const provider = new TestProvider();
    const manager = newManager({ provider, sharding });
    sharding.ownership.set('active', 'a', 'b');
    sharding.release();
    await running(manager, async () => {
      const { signal } = await provider.running.promise;
      const cluster = FakeCluster.ready({ server: 'https://a' });
      await manager.engage('a', cluster, signal);
      expect(() => cluster.fenceOf?.()?.check()).not.toThrow();
      sharding.ownership.set('elsewhere', 'a');
      expect(() => cluster.fenceOf?.()?.check()).toThrow('cluster "a" is owned by replica replica-b');
      const other = Object.assign(FakeCluster.ready({ server: 'https://b' }), { setFence: undefined });
      await expect(manager.engage('b', other, signal)).rejects.toThrow('cluster "b" has no method setFence');
    });
  });

  it('SH-5: engages a runnable with a cluster while this replica owns it, and not while it prepares it', async () => {
    const sharding = new FakeSharding();
    const { ownership } = sharding;
    const manager = newManager({ provider: new TestProvider(), sharding });
    const calls: string[] = [];
    let refusals = 1;
    const runnable = (prefix: string, engagePrepared?: boolean): Runnable => ({
      run: untilAborted,
      ...(engagePrepared && { engagePrepared }),
      engage: async (name, _cluster, signal) => {
        if (!engagePrepared && name === 'b' && (refusals -= 1) >= 0) throw new Error('not yet');
        calls.push(`${prefix} ${name}`);
        signal.addEventListener('abort', () => calls.push(`${prefix} ends ${name}: ${String(signal.reason)}`));
      },
    });
    await manager.add(runnable('owned'));
    await manager.add(runnable('prepared', true));
    for (const name of ['a', 'b']) ownership.declare(name);
    ownership.set('warming', 'a', 'b');
    sharding.release();
    await running(manager, async () => {
      const end = new AbortController();
      for (const name of ['a', 'b'])
        await manager.engage(name, FakeCluster.ready({ server: `https://${name}` }), end.signal);
      expect(calls.splice(0)).toEqual(['prepared a', 'prepared b']);
      ownership.set('active', 'a', 'b');
      await clock.advance(0);
      expect(calls.splice(0)).toEqual(['owned a']);
      await clock.advance(2_000);
      expect(calls.splice(0)).toEqual(['owned b']);
      ownership.set('draining', 'a');
      expect(calls.splice(0)).toEqual([expect.stringMatching(/^owned ends a: .*another replica becomes the owner/u)]);
      ownership.set('elsewhere', 'a');
      ownership.set('active', 'a');
      await clock.advance(0);
      expect(calls.splice(0)).toEqual(['owned a']);
      end.abort();
      expect(calls.splice(0)).toHaveLength(4);
      ownership.set('elsewhere', 'b');
      ownership.set('active', 'b');
      await clock.advance(60_000);
      expect(calls).toEqual([]);
    });
  });

  it('FP-7: engages a runnable with the local cluster on request only, while this replica owns it', async () => {
    const sharding = new FakeSharding();
    const { ownership } = sharding;
    const manager = newManager({ sharding });
    const calls: string[] = [];
    const runnable = (prefix: string, options: Pick<Runnable, 'engageLocal' | 'engagePrepared'>): Runnable => ({
      ...options,
      run: untilAborted,
      engage: async (name, _cluster, signal) => {
        calls.push(`${prefix} "${name}"`);
        signal.addEventListener('abort', () => calls.push(`${prefix} ends`));
      },
    });
    await manager.add(runnable('remote', {}));
    await manager.add(runnable('prepared', { engagePrepared: true }));
    await manager.add(runnable('local', { engageLocal: true }));
    await manager.add(runnable('prepared local', { engageLocal: true, engagePrepared: true }));
    sharding.release();
    await running(manager, async () => {
      expect(calls.splice(0)).toEqual(['prepared local ""']);
      ownership.set('active', '');
      await clock.advance(0);
      expect(calls.splice(0)).toEqual(['local ""']);
      ownership.set('draining', '');
      expect(calls.splice(0)).toEqual(['local ends']);
    });
  });

  it('SH-12: reports each change of the ownership to those that follow the fleet', async () => {
    const sharding = new FakeSharding();
    const manager = newManager({ sharding });
    sharding.release();
    await running(manager, async () => {
      const stop = new AbortController();
      const changes = manager.fleet.changes(stop.signal)[Symbol.asyncIterator]();
      const next = changes.next();
      sharding.ownership.set('active', '');
      expect((await next).value).toMatchObject({ name: '', ownership: { state: 'active', owner: 'replica-a' } });
      stop.abort();
    });
  });

  it('refuses leader-elected work without leader election, which every replica would run', async () => {
    const sharding = new FakeSharding();
    const manager = newManager({ sharding });
    const describe = () => 'controller "x"';
    await expect(manager.add({ run: async () => undefined, group: 'leader-elected', describe })).rejects.toThrow(
      /^controller "x" needs leader election .* set "leaderElection" of createManager, or leave out needLeaderElection$/u,
    );
  });

  it('SH-12: has no ownership in the fleet status without sharding', async () => {
    const manager = newManager();
    await running(manager, async () => {
      expect(manager.fleet.get('')).not.toHaveProperty('ownership');
    });
  });

  it('SH-5: reports a cluster as warm when it is engaged, and the local cluster at once', async () => {
    const sharding = new FakeSharding();
    const { ownership } = sharding;
    const provider = new TestProvider();
    const manager = newManager({ provider, sharding });
    sharding.release();
    await running(manager, async () => {
      const { aware, signal } = await provider.running.promise;
      expect([[...ownership.declared], ownership.warm]).toEqual([[''], ['']]);
      ownership.warm.splice(0);
      ownership.set('warming', '');
      expect(ownership.warm.splice(0)).toEqual(['']);
      const cluster = new FakeCluster({ server: 'https://a' });
      provider.clusters.ensure('a', declarationOf(cluster), aware, signal);
      ownership.set('warming', 'a');
      await clock.advance(0);
      expect(ownership.warm).toEqual([]);
      cluster.answer();
      await clock.advance(0);
      expect(ownership.warm).toEqual(['a']);
    });
  });

  it('SH-5: gives its clusters away before it stops, while everything still runs', async () => {
    const log: string[] = [];
    const sharding = new FakeSharding(log);
    const manager = newManager({ sharding });
    await manager.add(recorded('controller', log));
    const end = new AbortController();
    const started = manager.start(end.signal);
    await clock.advance(0);
    end.abort();
    await sharding.left;
    await clock.advance(20_000);
    expect(log).toEqual(['sharding starts', 'controller starts', 'leaves']);
    sharding.release();
    await started;
    expect(log.slice(3)).toEqual(['sharding stopped', 'controller stopped']);
    expect(clock.pendingTimers).toBe(0);
  });

  /** Stops a manager whose replica cannot leave. Returns the time until it has stopped, in milliseconds. */
  const stopWithoutHub = async (gracefulShutdownTimeout: number, log: string[] = []) => {
    const sharding = new FakeSharding(log);
    const manager = newManager({ sharding, gracefulShutdownTimeout });
    await manager.add(recorded('controller', log));
    const end = new AbortController();
    const started = manager.start(end.signal);
    await clock.advance(0);
    const before = clock.now();
    end.abort();
    await sharding.left;
    // The rest of the time is for the runnables, which need none.
    await clock.advance(Math.max(0, gracefulShutdownTimeout - 5_000));
    await started;
    expect(clock.pendingTimers).toBe(0);
    return clock.now() - before;
  };

  it('SH-5: stops in order also if it cannot leave in time, because the last 5 s are for its runnables', async () => {
    const log: string[] = [];
    expect(await stopWithoutHub(30_000, log)).toBe(25_000);
    expect(log).toEqual(['sharding starts', 'controller starts', 'leaves', 'controller stopped', 'sharding stopped']);
  });

  it('SH-5: a runnable that does not stop after the replica has left is reported', async () => {
    const sharding = new FakeSharding();
    const manager = newManager({ sharding });
    const stuck = Promise.withResolvers<void>();
    await manager.add({ run: () => stuck.promise, describe: () => 'a stuck runnable' });
    const end = new AbortController();
    const started = expect(manager.start(end.signal)).rejects.toThrow('a stuck runnable');
    await clock.advance(0);
    end.abort();
    await sharding.left;
    await clock.advance(30_000);
    await started;
    stuck.resolve();
    await clock.advance(0);
  });

  it('SH-5: with gracefulShutdownTimeout 0, waits neither for the next owners nor for its runnables', async () => {
    expect(await stopWithoutHub(0)).toBe(0);
  });

  it('SH-5: with gracefulShutdownTimeout -1, waits until its clusters are given away', async () => {
    const sharding = new FakeSharding();
    const manager = newManager({ sharding, gracefulShutdownTimeout: -1 });
    const end = new AbortController();
    let isStopped = false;
    const started = manager.start(end.signal).then(() => (isStopped = true));
    await clock.advance(0);
    end.abort();
    await clock.advance(3_600_000);
    expect(isStopped).toBe(false);
    sharding.release();
    expect(await started).toBe(true);
    expect(clock.pendingTimers).toBe(0);
  });

  it.each<[string, Runnable['run'] | undefined]>([
    ['a runnable', () => Promise.reject(new Error('broken'))],
    ['the membership', undefined],
  ])('SH-5: gives nothing away after a failure of %s, because its work has stopped', async (_, run) => {
    const log: string[] = [];
    const sharding = new FakeSharding(log);
    const manager = newManager({ sharding });
    if (run) await manager.add({ run });
    else sharding.failure.reject(new Error('broken'));
    await expect(manager.start(new AbortController().signal)).rejects.toThrow('broken');
    expect(log).not.toContain('leaves');
    expect(clock.pendingTimers).toBe(0);
  });

  it('SH-5: a provider that cannot be set up ends the start before the replica joins', async () => {
    const sharding = new FakeSharding();
    const provider = Object.assign(new TestProvider(), {
      setupWithManager: () => Promise.reject(new Error('controller "x" is there')),
    });
    const manager = newManager({ provider, sharding });
    await expect(manager.start(new AbortController().signal)).rejects.toThrow('"x" is there');
    expect(sharding.log).toEqual([]);
  });
});
