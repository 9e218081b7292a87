import { afterEach, describe, expect, it } from '@jest/globals';
import { ConfigMap, Secret } from '@mcr/client';
import { FakeOwnership } from '../fleet/clusters/fake-ownership.fixture.ts';
import { reconcileFence } from '../fleet/fence/current-fence.ts';
import { NotOwnerError } from '../fleet/multicluster/not-owner-error.ts';
import type { ControllerOptions } from '../options/controller-options.ts';
import { createController } from './create-controller.ts';
import { FakeManager } from './fake-manager.fixture.ts';
import type { Reconciler } from './reconcile/reconciler.ts';
import { ShardedController } from './sharded-controller.fixture.ts';

const key = (name: string) => ({ namespace: 'default', name });

describe('a controller of a sharded fleet', () => {
  let sharded: ShardedController;
  afterEach(async () => {
    await sharded.stop();
    expect([sharded.fake.clock.pendingTimers, sharded.ownership.listeners]).toEqual([0, 0]);
    expect(sharded.hub.informer(Secret).handlers.size).toBe(0);
  });

  describe('that watches the local cluster', () => {
    it('SH-10: reconciles them only in the replica that owns the local cluster', async () => {
      sharded = new ShardedController();
      for (const name of ['x', 'y']) sharded.hub.informer(ConfigMap).set(key(name));
      await sharded.engageHub();
      sharded.hub.informer(ConfigMap).set(key('x'));
      await sharded.fake.settle();
      expect(sharded.takeSeen()).toEqual([]);
      await sharded.set('active', '');
      expect(sharded.takeSeen()).toEqual(['/x', '/y']);
      await sharded.set('elsewhere', '');
      sharded.hub.informer(ConfigMap).set(key('x'));
      await sharded.advance(60_000);
      expect(sharded.takeSeen()).toEqual([]);
    });

    it('SH-10: reconciles all of them when it gets the local cluster back, also those that did not change', async () => {
      sharded = new ShardedController();
      sharded.hub.informer(ConfigMap).set(key('x'));
      await sharded.set('active', '');
      await sharded.engageHub();
      await sharded.set('elsewhere', '');
      await sharded.set('warming', '');
      await sharded.advance(60_000);
      expect(sharded.takeSeen()).toEqual(['/x']);
      await sharded.set('active', '');
      expect(sharded.takeSeen()).toEqual(['/x']);
    });

    it('SH-10: delivers them once, although the change and the engagement come together', async () => {
      sharded = new ShardedController();
      await sharded.engageHub();
      sharded.hub.informer(ConfigMap).set(key('x'));
      await sharded.set('active', '', 'a', 'b');
      await sharded.engage('a');
      await sharded.engage('b');
      await sharded.advance(60_000);
      expect(sharded.takeSeen()).toEqual(['/x']);
    });
  });

  describe('with requests that are mapped from the local cluster', () => {
    it('SH-10: reconciles the requests of clusters that come, which it dropped before', async () => {
      sharded = new ShardedController();
      await sharded.engageHub();
      for (const name of ['a.x', 'b.y']) await sharded.setSecret(name);
      await sharded.set('warming', 'a');
      await sharded.setSecret('a.z');
      await sharded.advance(60_000);
      expect(sharded.takeSeen()).toEqual([]);
      await sharded.set('active', 'a');
      expect(sharded.takeSeen()).toEqual(['a/x', 'a/z']);
    });

    it('SH-10: reconciles the requests of a cluster that is discovered after this replica owned its slot', async () => {
      sharded = new ShardedController();
      await sharded.engageHub();
      await sharded.setSecret('late.x');
      await sharded.set('active', 'late');
      expect(sharded.takeSeen()).toEqual([]);
      sharded.ownership.declare('late');
      await sharded.engage('late', 'y');
      expect(sharded.takeSeen()).toEqual(['late/x', 'late/y']);
    });

    it('SH-10: reconciles the requests of a cluster that moved away while it was removed, and came back', async () => {
      sharded = new ShardedController();
      await sharded.engageHub();
      await sharded.set('active', 'a');
      const { leave } = await sharded.engage('a');
      sharded.ownership.forget('a');
      leave();
      await sharded.set('elsewhere', 'a');
      await sharded.setSecret('a.x');
      await sharded.advance(60_000);
      sharded.ownership.declare('a');
      await sharded.set('active', 'a');
      expect(sharded.takeSeen()).toEqual(['a/x']);
    });

    it('SH-10: delivers the objects again until their handler has succeeded', async () => {
      sharded = new ShardedController();
      let isBroken = true;
      await sharded.controller.watch({
        per: 'cluster',
        name: 'inventory',
        clusterFilter: (name) => name === '',
        start: async ({ queue }) => {
          if (isBroken && sharded.ownership.stateOf('a') !== 'elsewhere') throw new Error('not available');
          queue.add({ clusterName: 'a', namespace: '', name: 'listed' });
          return { synced: Promise.resolve(), stop: () => undefined };
        },
      });
      await sharded.engageHub();
      await sharded.set('active', 'a');
      await sharded.advance(60_000);
      expect(sharded.takeSeen()).toEqual([]);
      expect(sharded.fake.lines.filter(({ level }) => level === 'warn')).toHaveLength(1);
      isBroken = false;
      await sharded.advance(30_000);
      expect(sharded.takeSeen()).toEqual(['a/listed']);
    });
  });

  describe('in a handover', () => {
    it('SH-5: reconciles nothing of a cluster that is given away, and every object of it when it comes back', async () => {
      let result = {};
      sharded = new ShardedController({ reconciler: async () => result });
      await sharded.set('active', 'a');
      result = { requeueAfter: 30_000 };
      const first = await sharded.engage('a', 'x', 'y');
      expect(sharded.takeSeen()).toEqual(['a/x', 'a/y']);
      await sharded.set('draining', 'a');
      first.informer(ConfigMap).set(key('y'));
      await sharded.advance(60_000);
      await sharded.set('elsewhere', 'a');
      first.leave();
      await sharded.advance(60_000);
      expect(sharded.takeSeen()).toEqual([]);

      await sharded.set('warming', 'a');
      await sharded.engage('a', 'x', 'y');
      await sharded.advance(60_000);
      expect(sharded.takeSeen()).toEqual([]);
      result = {};
      await sharded.set('active', 'a');
      expect(sharded.takeSeen()).toEqual(['a/x', 'a/y']);
      await sharded.advance(600_000);
      expect(sharded.takeSeen()).toEqual([]);
    });

    it('SH-5: reconciles every object again if another replica owned the cluster while it stayed engaged', async () => {
      sharded = new ShardedController();
      await sharded.set('active', 'a');
      await sharded.engage('a', 'x', 'y');
      sharded.takeSeen();
      sharded.ownership.owners.set('a', 'replica-b');
      await sharded.set('draining', 'a');
      await sharded.set('warming', 'a');
      sharded.ownership.owners.delete('a');
      await sharded.set('active', 'a');
      await sharded.advance(1_000);
      expect(sharded.takeSeen()).toEqual(['a/x', 'a/y']);
    });

    it('SH-11: keeps the requests, and reconciles nothing else again, if only the lease lapsed', async () => {
      sharded = new ShardedController();
      sharded.ownership.owners.set('a', 'replica-a');
      await sharded.set('active', 'a');
      const member = await sharded.engage('a', 'x', 'y');
      sharded.takeSeen();
      await sharded.set('draining', 'a');
      member.informer(ConfigMap).set(key('x'));
      await sharded.set('warming', 'a');
      await sharded.advance(60_000);
      expect(sharded.takeSeen()).toEqual([]);
      await sharded.set('active', 'a');
      await sharded.advance(60_000);
      expect(sharded.takeSeen()).toEqual(['a/x']);
    });

    it('SH-5: lets a reconcile end while the cluster drains, and aborts it when the cluster is lost', async () => {
      const signals: AbortSignal[] = [];
      const end = Promise.withResolvers<void>();
      const reconciler: Reconciler = async (_, { signal }) => {
        signals.push(signal);
        await end.promise;
        return { requeueAfter: 1_000 };
      };
      sharded = new ShardedController({ reconciler });
      await sharded.set('active', 'a');
      const { leave } = await sharded.engage('a', 'x');
      await sharded.set('draining', 'a');
      expect([sharded.ownership.reconciles.get('a'), signals[0]?.aborted]).toEqual([1, false]);
      await sharded.set('elsewhere', 'a');
      expect([sharded.ownership.reconciles.get('a'), signals[0]?.aborted]).toEqual([1, true]);
      expect(String(signals[0]?.reason)).toContain('cluster "a" is owned by another replica');
      leave();
      end.resolve();
      await sharded.set('active', 'a');
      await sharded.advance(60_000);
      expect([sharded.ownership.reconciles.get('a'), signals.length]).toEqual([0, 1]);
    });

    it('SH-5: a request keeps its place and priority while its cluster is in handover, and others go on', async () => {
      sharded = new ShardedController();
      await sharded.set('active', 'a', 'b');
      const [a, b] = [await sharded.engage('a', 'x'), await sharded.engage('b', 'y')];
      await sharded.set('draining', 'a');
      sharded.takeSeen();
      for (const member of [a, b]) for (const name of ['x', 'y', 'z']) member.informer(ConfigMap).set(key(name));
      await sharded.advance(60_000);
      expect(sharded.takeSeen()).toEqual(['b/x', 'b/y', 'b/z']);
      await sharded.set('active', 'a');
      expect(sharded.takeSeen()).toEqual(['a/x', 'a/y', 'a/z']);
    });

    it('SH-4: a reconcile that is left behind after its timeout keeps the fence of its own cluster', async () => {
      const fences: string[] = [];
      const proceed = Promise.withResolvers<void>();
      const reconciler: Reconciler = async ({ clusterName }) => {
        if (clusterName === 'a') await proceed.promise;
        try {
          reconcileFence()?.begin().sends();
          fences.push(`${clusterName}: open`);
        } catch (error) {
          fences.push(`${clusterName}: ${String(error)}`);
        }
      };
      sharded = new ShardedController({ reconciler, reconciliationTimeout: 1_000 });
      await sharded.set('active', 'a', 'b');
      const a = await sharded.engage('a', 'x');
      await sharded.advance(2_000);
      expect(sharded.ownership.reconciles.get('a')).toBe(0);
      await sharded.set('elsewhere', 'a');
      a.leave();
      await sharded.engage('b', 'y');
      proceed.resolve();
      await sharded.advance(60_000);
      expect(fences).toEqual(['b: open', expect.stringMatching(/^a: NotOwnerError: .*"a"/)]);
    });
  });

  it('SH-10: warns of a request for a cluster of another replica that comes from a cluster only this one watches', async () => {
    sharded = new ShardedController();
    await sharded.controller.watch({
      per: 'cluster',
      name: 'members',
      start: async ({ queue }) => {
        queue.add({ clusterName: 'b', namespace: '', name: 'x' });
        return { synced: Promise.resolve(), stop: () => undefined };
      },
    });
    await sharded.set('active', 'a');
    await sharded.engage('a');
    const [warning, ...others] = sharded.fake.lines.filter(({ level }) => level === 'warn');
    expect([warning?.fields, others]).toEqual([
      expect.objectContaining({ cluster: 'b', owner: 'replica-b', source: 'a' }),
      [],
    ]);
  });
});

describe('the options of a controller of a sharded fleet', () => {
  const create = (options: ControllerOptions, ownership?: FakeOwnership) => {
    const fake = new FakeManager(ownership && { ownership });
    return createController('test', fake.manager, { ...options, reconciler: async () => undefined });
  };

  it('SH-10: it runs in every replica by default, and without sharding only in the leader', () => {
    expect(create({}, new FakeOwnership()).group).toBe('other');
    expect(create({ needLeaderElection: true }, new FakeOwnership()).group).toBe('leader-elected');
    expect(create({}).group).toBe('leader-elected');
    // Its sources start at once, so that there is nothing to warm up.
    const warmsUp = (options: ControllerOptions) => typeof create(options, new FakeOwnership()).warmUp === 'function';
    expect(warmsUp({ enableWarmup: true })).toBe(false);
    expect(warmsUp({ enableWarmup: true, needLeaderElection: true })).toBe(true);
  });

  it('SH-10: refuses a controller that is led and sharded, which would reconcile only the clusters of the leader', () => {
    const options = { needLeaderElection: true, sharded: true };
    expect(() => create(options, new FakeOwnership())).toThrow(
      'controller "test": the options needLeaderElection and sharded exclude each other',
    );
    expect(() => create(options)).not.toThrow();
  });

  it('SH-10: warns once of a leader-elected controller that watches members and does not own most of them', async () => {
    const sharded = new ShardedController({ needLeaderElection: true });
    await sharded.engageHub();
    expect(sharded.fake.lines.filter(({ level }) => level === 'warn')).toEqual([]);
    for (const name of ['a', 'b']) await sharded.engage(name, 'x');
    const warnings = sharded.fake.lines.filter(({ level }) => level === 'warn');
    expect(warnings).toEqual([
      expect.objectContaining({
        message: expect.stringContaining('remove needLeaderElection, or watch only the local cluster'),
      }),
    ]);
    await sharded.stop();
  });

  it.each<[string, ControllerOptions]>([
    ['leader-elected', { needLeaderElection: true }],
    ['only reading', { sharded: false }],
  ])('SH-10: a controller that is %s reconciles the requests of all clusters', async (_, options) => {
    const ownership = new FakeOwnership();
    const error = new NotOwnerError('a', { owner: 'replica-b' });
    const reconciler: Reconciler = async (_request, { attempt }) => {
      if (attempt === 1) throw error;
    };
    const unsharded = new ShardedController({ ...options, reconciler }, { ownership });
    await unsharded.engage('a', 'x');
    await unsharded.advance(1_000);
    expect([unsharded.seen, ownership.listeners, ownership.reconciles.size]).toEqual([['a/x', 'a/x'], 0, 0]);
    // No other replica has the request, so that the error counts.
    expect(unsharded.fake.outcomes.map(({ result }) => result)).toEqual(['error', 'success']);
    await unsharded.stop();
    expect(unsharded.fake.clock.pendingTimers).toBe(0);
  });
});
