import { afterEach, describe, expect, it } from '@jest/globals';
import { ConfigMap, HASH_SPACE, Shard } from '@mcr/client';
import { FakeOwnership } from '../../fleet/clusters/fake-ownership.fixture.ts';
import { reconcileFence } from '../../fleet/fence/current-fence.ts';
import type { Division } from '../../fleet/multicluster/slot-ownership.ts';
import { slotOf } from '../../sharding/plan/slot.ts';
import type { CreateControllerOptions } from '../create-controller.ts';
import { createController } from '../create-controller.ts';
import { FakeManager } from '../fake-manager.fixture.ts';
import { FakeMember } from '../fake-member.fixture.ts';
import { enqueueRequestForObject } from '../handler/enqueue-object.ts';
import type { ReconcileRequest } from '../reconcile/request.ts';
import { RunningController } from '../running-controller.fixture.ts';
import { kindSource } from '../source/kind-source.ts';
import { FakeSlots } from './fake-slots.fixture.ts';

const NAMES = ['x', 'y', 'z'];
const key = (name: string) => ({ namespace: 'default', name });
const byName = (name: string) => slotOf(name, { slots: 16, hash: 'mixed' });
const [x, y, z] = NAMES.map(byName) as [number, number, number];

/** A controller of the ConfigMaps of the hub, which it divides by their names. */
class HubController extends RunningController {
  readonly slots: FakeSlots;
  readonly hub = FakeMember.synced(ConfigMap);

  constructor(options: Partial<CreateControllerOptions<ReconcileRequest>> = {}, uid = false) {
    const slots = new FakeSlots();
    super({ shardBy: ({ name }) => name, ...options }, { ownership: new FakeOwnership(), slots });
    this.slots = slots;
    const clusterFilter = (name: string) => name === '';
    void this.controller.watch(kindSource(ConfigMap, enqueueRequestForObject({ uid }), { clusterFilter }));
  }

  async setUp(names: readonly string[] = NAMES): Promise<this> {
    this.change(...names);
    await this.engageMember('', this.hub);
    return this;
  }

  change(...names: readonly string[]): void {
    for (const name of names) this.hub.informer(ConfigMap).set(key(name));
  }

  async set(...change: Parameters<FakeSlots['set']>): Promise<void> {
    this.slots.set(...change);
    await this.fake.settle();
  }

  /** Returns the objects that were reconciled since the last call. */
  take(): string[] {
    return this.seen.splice(0).sort();
  }
}

describe('a controller that divides the requests for the local cluster', () => {
  let running: HubController;
  afterEach(async () => {
    await running.stop();
    expect([running.fake.clock.pendingTimers, running.slots.listeners]).toEqual([0, 0]);
  });

  it('SH-10: reconciles the objects whose slots it owns, although another replica owns the local cluster', async () => {
    running = await new HubController().setUp();
    await running.set('active', x);
    expect(running.take()).toEqual(['/x']);
    running.change(...NAMES);
    await running.fake.settle();
    expect(running.take()).toEqual(['/x']);
  });

  it('SH-10: reconciles all objects of a slot that comes, also those that did not change', async () => {
    running = await new HubController().setUp();
    await running.set('active', x);
    running.take();
    await running.set('warming', y, z);
    await running.advance(60_000);
    expect(running.take()).toEqual([]);
    await running.set('active', y, z);
    await running.advance(60_000);
    expect(running.take()).toEqual(['/y', '/z']);
  });

  it('SH-10: reconciles the objects of a slot again that another replica had meanwhile', async () => {
    running = await new HubController().setUp();
    await running.set('active', x);
    running.take();
    await running.set('draining', x);
    running.slots.owners.set(x, 'replica-b');
    await running.set('warming', x);
    running.slots.owners.delete(x);
    await running.set('active', x);
    await running.advance(60_000);
    expect(running.take()).toEqual(['/x']);
  });

  it.each(['warming', 'draining'] as const)('SH-5: the requests of a slot wait while it is %s', async (state) => {
    running = await new HubController().setUp([]);
    await running.set('active', x, y);
    await running.set(state, x);
    running.change('x', 'y');
    await running.fake.settle();
    expect(running.take()).toEqual(['/y']);
    await running.set('active', x);
    expect(running.take()).toEqual(['/x']);
  });

  it('SH-5: drops the requests of a slot that is lost, also delayed ones and those that wait', async () => {
    running = await new HubController({ reconciler: async () => ({ requeueAfter: 1_000 }) }).setUp();
    await running.set('active', x, y, z);
    await running.fake.settle();
    running.take();
    await running.set('draining', x);
    running.change('x');
    await running.fake.settle();
    await running.set('elsewhere', x, y);
    await running.advance(1_000);
    expect(running.take()).toEqual(['/z']);
  });

  it('SH-5: counts a reconcile as work of its slot until it ends, and aborts it when the slot is lost', async () => {
    const aborted: string[] = [];
    const reconciler = async ({ name }: ReconcileRequest, { signal }: { readonly signal: AbortSignal }) => {
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      aborted.push(`${name}: ${String(signal.reason)}`);
    };
    running = await new HubController({ reconciler, maxConcurrentReconciles: 2 }).setUp(['x', 'y']);
    await running.set('active', x, y);
    expect([running.slots.reconciles.get(x), running.slots.reconciles.get(y)]).toEqual([1, 1]);
    await running.set('draining', x);
    expect(aborted).toEqual([]);
    await running.set('elsewhere', x);
    expect(aborted).toEqual(['x: Error: another replica owns the request']);
    expect([running.slots.reconciles.get(x), running.slots.reconciles.get(y)]).toEqual([0, 1]);
  });

  it('SH-4: a reconcile writes to the local cluster through the fence of its slot', async () => {
    const writes: string[] = [];
    const proceed = Promise.withResolvers<void>();
    const reconciler = async ({ name }: ReconcileRequest) => {
      await proceed.promise;
      try {
        reconcileFence()?.begin().sends();
        writes.push(`${name} is written`);
      } catch (error) {
        writes.push(`${name}: ${(error as Error).name}`);
      }
    };
    running = await new HubController({ reconciler, maxConcurrentReconciles: 2 }).setUp(['x', 'y']);
    await running.set('active', x, y);
    await running.set('elsewhere', x);
    proceed.resolve();
    await running.fake.settle();
    expect(writes).toEqual(['x: NotOwnerError', 'y is written']);
  });

  it('SH-10: a request without a key is reported, and its event is retried', async () => {
    running = new HubController({ shardBy: ({ name }) => (name === 'x' ? (undefined as unknown as string) : name) });
    await running.set('active', ...running.slots.all);
    await running.setUp();
    expect(running.take()).toEqual(['/y', '/z']);
    const { unhandled } = running.fake.observations.findLast(({ unhandled }) => unhandled) ?? {};
    expect(unhandled?.message).toContain('request "default/x": shardBy must return a string, found undefined');
  });

  it('SH-10: a function that fails later does not stop the controller, and the request is retried', async () => {
    let calls = 0;
    const shardBy = ({ name }: ReconcileRequest) => {
      // The first call accepts the request. After the second one, the request is retried, and has its slot after the third.
      if (name === 'x' && (calls += 1) !== 1 && calls !== 3) throw new Error('not now');
      return name;
    };
    running = new HubController({ shardBy });
    await running.set('active', ...running.slots.all);
    await running.setUp();
    await running.advance(60_000);
    expect(running.take()).toEqual(['/x', '/y', '/z']);
    expect(running.fake.lines.find(({ level }) => level === 'error')?.message).toBe('no shard for a request, retrying');
  });

  describe('that divides them by uid', () => {
    const slotOfUid = (name: string) => slotOf(`default/${name}`, { slots: 16, hash: 'plain' });

    it('SH-10: divides by the hash of the API server, and a request without a uid is reported', async () => {
      running = await new HubController({ shardBy: 'uid' }, true).setUp();
      await running.set('active', slotOfUid('x'));
      const expected = NAMES.filter((name) => slotOfUid(name) === slotOfUid('x')).map((name) => `/${name}`);
      expect(running.take()).toEqual(expected);
      void running.controller.watch(
        kindSource(ConfigMap, enqueueRequestForObject(), { clusterFilter: (name) => name === '' }),
      );
      await running.fake.settle();
      const { unhandled } = running.fake.observations.findLast(({ unhandled }) => unhandled) ?? {};
      expect(unhandled?.message).toContain(
        'its field uid is missing, by which the controller is sharded: set it in the handler',
      );
    });

    it('SH-19: keeps the ranges of a Shard equal to the slots that it serves', async () => {
      const shard = new Shard({ field: 'uid', ranges: [] });
      running = await new HubController({ shardBy: shard }, true).setUp();
      const size = HASH_SPACE / 16n;
      expect(shard.selector.ranges).toEqual([]);
      await running.set('warming', 1, 2);
      await running.set('draining', 2);
      expect(shard.selector.ranges).toEqual([{ start: size, end: 3n * size }]);
      await running.set('elsewhere', 1);
      expect(shard.selector.ranges).toEqual([{ start: 2n * size, end: 3n * size }]);
      await running.set('active', ...running.slots.all);
      expect(shard.selector.ranges).toEqual([{ start: 0n, end: HASH_SPACE }]);
    });

    it('SH-1: without sharding, a Shard has all objects', () => {
      const shard = new Shard({ field: 'namespace', ranges: [] });
      createController('alone', new FakeManager().manager, { reconciler: async () => undefined, shardBy: shard });
      expect(shard.selector.ranges).toEqual([{ start: 0n, end: HASH_SPACE }]);
      running = new HubController();
    });
  });

  it.each<[Division, CreateControllerOptions<ReconcileRequest>['shardBy']]>([
    ['function', ({ name }) => name],
    ['uid', 'uid'],
    ['namespace', 'namespace'],
    ['uid', new Shard({ field: 'uid', ranges: [] })],
  ])('SH-10: the group learns that requests are divided by %s', (division, shardBy) => {
    running = new HubController(shardBy && { shardBy });
    expect([...running.slots.controllers.values()]).toEqual([division]);
  });

  it('SH-10: the group learns that requests are divided by their cluster without shardBy', () => {
    running = new HubController();
    const { manager } = new FakeManager({ ownership: new FakeOwnership(), slots: running.slots });
    createController('plain', manager, { reconciler: async () => undefined });
    expect(running.slots.controllers.get('plain')).toBe('cluster');
  });

  it('SH-10: shardBy excludes options that do not divide the requests', () => {
    running = new HubController();
    const { manager } = new FakeManager({ ownership: new FakeOwnership(), slots: new FakeSlots() });
    const create = (options: object) => () =>
      createController(`c${Math.random()}`, manager, { reconciler: async () => undefined, shardBy: 'uid', ...options });
    expect(create({ sharded: false })).toThrow('sharded: false does not: leave out one of them');
    expect(create({ needLeaderElection: true })).toThrow('needLeaderElection: true does not: leave out one of them');
    expect(create({ shardBy: 'name' })).toThrow('shardBy');
    expect(create({ shardBy: 'name' })).toThrow('expected "uid", "namespace", a Shard, or a function');
  });
});
