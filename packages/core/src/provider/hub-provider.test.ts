import { describe, expect, it } from '@jest/globals';
import type { ObjectKey } from '@mcr/client';
import { ConfigMap } from '@mcr/client';
import { FakeCluster } from '../fleet/cluster/fake-cluster.fixture.ts';
import { FakeManager } from '../controller/fake-manager.fixture.ts';
import { FakeMember } from '../controller/fake-member.fixture.ts';
import { enqueueRequestForObject } from '../controller/handler/enqueue-object.ts';
import { FakeSharding } from '../manager/sharding/fake-sharding.fixture.ts';
import { clock, newManager, running } from '../manager/manager-scene.fixture.ts';
import { LOCAL_CLUSTER } from '../fleet/multicluster/cluster-name.ts';
import { TerminalError } from '../controller/reconcile/terminal-error.ts';
import { kindSource } from '../controller/source/kind-source.ts';
import type { ReconcileContext } from '../controller/reconcile/reconciler.ts';
import type { ReconcileRequest } from '../controller/reconcile/request.ts';
import type { ClusterSource } from '../controller/source/source.ts';
import { HubProvider } from './hub-provider.ts';
import { RecordingAware } from '../fleet/clusters/recording-aware.fixture.ts';

const keyOf = (name: string) => ({ namespace: 'fleet', name });

type Reconcile = (request: ReconcileRequest, context: ReconcileContext) => Promise<void>;

/** Makes a cluster of every ConfigMap in the hub. */
class TestProvider extends HubProvider {
  /** Names of the objects that were reconciled, in order. */
  readonly reconciled: string[] = [];
  readonly objects = new Set<string>();
  readonly #first: Reconcile;
  readonly #afterwards: () => Promise<void>;
  readonly #discover: () => Promise<void>;

  constructor(
    newCluster: () => FakeCluster,
    { reconcile = async () => undefined, afterwards = async () => undefined, discover = async () => undefined }: Steps,
  ) {
    super({ controllerName: 'test', newCluster });
    this.#first = reconcile;
    this.#afterwards = afterwards;
    this.#discover = discover;
    this.watchInventory(ConfigMap, { labelSelector: 'fleet=true' });
  }

  protected nameOf({ namespace, name }: ObjectKey): string {
    return `${namespace}/${name}`;
  }

  protected async reconcile(request: ReconcileRequest, context: ReconcileContext): Promise<void> {
    this.reconciled.push(request.name);
    await this.#first(request, context);
    const cluster = this.nameOf(request);
    if (!this.objects.has(request.name)) this.clusters.remove(cluster, 'it was deleted');
    else this.clusters.set(cluster, { digest: '1', config: () => ({ server: 'https://a' }), info: {} });
    await this.#afterwards();
  }

  protected override async discover(signal: AbortSignal): Promise<void> {
    await super.discover(signal);
    await this.#discover();
  }

  override keys(): ObjectKey[] {
    return super.keys();
  }

  override hasKey(key: ObjectKey): boolean {
    return super.hasKey(key);
  }

  override watch(source: ClusterSource): void {
    super.watch(source);
  }
}

interface Steps {
  /** Runs before each reconcile. */
  readonly reconcile?: Reconcile;
  /** Runs at the end of each reconcile. */
  readonly afterwards?: () => Promise<void>;
  /** Runs as part of the discovery. */
  readonly discover?: () => Promise<void>;
}

/** A provider that is set up with a manager whose controllers run. */
class Scene implements AsyncDisposable {
  readonly fake = new FakeManager();
  readonly hub = FakeMember.synced(ConfigMap);
  readonly aware = new RecordingAware();
  readonly made: FakeCluster[] = [];
  readonly provider: TestProvider;
  readonly #end = new AbortController();
  #controller: Promise<void> | undefined;

  constructor(steps: Steps = {}) {
    this.provider = new TestProvider(() => {
      const cluster = FakeCluster.ready();
      this.made.push(cluster);
      return cluster;
    }, steps);
  }

  static async open(steps?: Steps): Promise<Scene> {
    const scene = new Scene(steps);
    await scene.provider.setupWithManager(scene.fake.manager);
    const [runnable] = scene.fake.added;
    scene.#controller = runnable?.run(scene.#end.signal);
    await scene.engage(LOCAL_CLUSTER, scene.hub);
    return scene;
  }

  /** Engages a cluster with the controller. */
  async engage(name: string, cluster: FakeMember): Promise<void> {
    await this.fake.added[0]?.engage?.(name, cluster, this.#end.signal);
    await this.fake.settle();
  }

  /** Runs the provider until the returned function is called. */
  async run(): Promise<() => Promise<void>> {
    const end = new AbortController();
    const ended = this.provider.run(this.aware, end.signal);
    await this.fake.settle();
    return async () => {
      end.abort();
      await ended;
    };
  }

  async put(...names: readonly string[]): Promise<void> {
    for (const name of names) {
      this.provider.objects.add(name);
      this.hub.informer(ConfigMap).set(keyOf(name));
    }
    await this.fake.settle();
  }

  async delete(name: string): Promise<void> {
    this.provider.objects.delete(name);
    this.hub.informer(ConfigMap).delete(keyOf(name));
    await this.fake.settle();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort();
    await this.#controller;
  }
}

describe('HubProvider', () => {
  it('SH-9: reads the hub on a replica that does not own it', async () => {
    const hub = FakeMember.synced(ConfigMap);
    hub.answer();
    hub.informer(ConfigMap).set(keyOf('eu-1'));
    const provider = new TestProvider(() => FakeCluster.ready(), {});
    provider.objects.add('eu-1');
    const sharding = new FakeSharding();
    sharding.release();
    const manager = newManager({ provider, sharding, localCluster: hub });
    await running(manager, async () => {
      await clock.advance(1_000);
      expect(sharding.ownership.stateOf(LOCAL_CLUSTER)).toBe('elsewhere');
      expect(provider.reconciled).toEqual(['eu-1']);
      expect(manager.fleet.get('fleet/eu-1')?.phase).toBe('Discovered');
    });
  });

  it('reconciles every object when it starts, none before, and each object that changes', async () => {
    await using scene = await Scene.open();
    await scene.put('eu-1', 'eu-2');
    expect(scene.provider.reconciled).toEqual([]);
    const stop = await scene.run();
    expect(scene.provider.reconciled).toEqual(['eu-1', 'eu-2']);
    await scene.put('eu-2');
    await scene.put('eu-3');
    expect(scene.provider.reconciled).toEqual(['eu-1', 'eu-2', 'eu-2', 'eu-3']);
    expect(scene.aware.names).toEqual(['fleet/eu-1', 'fleet/eu-2', 'fleet/eu-3']);
    await stop();
  });

  it('forgets an object that was deleted', async () => {
    await using scene = await Scene.open();
    const stop = await scene.run();
    await scene.put('eu-1', 'eu-2');
    expect(scene.provider.keys()).toMatchObject([keyOf('eu-1'), keyOf('eu-2')]);
    await scene.delete('eu-1');
    expect(scene.provider.keys()).toMatchObject([keyOf('eu-2')]);
    expect(scene.provider.hasKey(keyOf('eu-1'))).toBe(false);
    expect(scene.provider.hasKey(keyOf('eu-2'))).toBe(true);
    expect(scene.aware.names).toEqual(['fleet/eu-2']);
    await stop();
  });

  it('PV-5: reconciles an object again 5 s after its cluster stopped by itself', async () => {
    await using scene = await Scene.open();
    const stop = await scene.run();
    await scene.put('eu-1');
    scene.made[0]?.fail(new Error('out of memory'));
    await scene.fake.clock.advance(4_999);
    expect(scene.provider.reconciled).toEqual(['eu-1']);
    expect(scene.aware.names).toEqual([]);
    await scene.fake.clock.advance(1);
    expect(scene.provider.reconciled).toEqual(['eu-1', 'eu-1']);
    expect(scene.aware.names).toEqual(['fleet/eu-1']);
    await stop();
  });

  it('PV-5: reconciles an object again if its cluster is lost before the reconcile that set it ends', async () => {
    const gate = Promise.withResolvers<void>();
    await using scene = await Scene.open({ afterwards: () => gate.promise });
    const stop = await scene.run();
    await scene.put('eu-1');
    scene.made[0]?.fail(new Error('out of memory'));
    await scene.fake.settle();
    gate.resolve();
    await scene.fake.settle();
    expect(scene.provider.reconciled).toEqual(['eu-1']);
    await scene.fake.clock.advance(5_000);
    expect(scene.provider.reconciled).toEqual(['eu-1', 'eu-1']);
    expect(scene.aware.names).toEqual(['fleet/eu-1']);
    await stop();
  });

  it('reconciles an object again after a failure', async () => {
    let failures = 1;
    await using scene = await Scene.open({
      reconcile: async () => {
        if (failures-- > 0) throw new Error('the hub is away');
      },
    });
    const stop = await scene.run();
    await scene.put('eu-1');
    expect(scene.aware.names).toEqual([]);
    await scene.fake.clock.advance(1_000);
    expect(scene.aware.names).toEqual(['fleet/eu-1']);
    await stop();
  });

  it.each([
    ['an error', new Error('the hub is away'), 2],
    ['a TerminalError, which only a change of the object corrects', new TerminalError('data: expected an object'), 1],
  ])(
    'PV-4, S-14: keeps the cluster of an object whose reconcile throws %s, and reports it',
    async (_, error, reconciles) => {
      let failure: Error | undefined;
      await using scene = await Scene.open({
        reconcile: async ({ name }) => {
          if (failure && name === 'eu-1') throw failure;
        },
      });
      const stop = await scene.run();
      await scene.put('eu-1');
      failure = error;
      await scene.put('eu-1', 'eu-2');
      expect(scene.aware.names).toEqual(['fleet/eu-1', 'fleet/eu-2']);
      const last = () => scene.aware.reports.findLast(({ name }) => name === 'fleet/eu-1');
      expect(last()).toMatchObject({
        phase: 'Unreachable',
        reason: `${error.message}; the cluster keeps its last good configuration`,
      });
      await scene.fake.clock.advance(5);
      expect(scene.provider.reconciled.filter((name) => name === 'eu-1')).toHaveLength(1 + reconciles);
      failure = undefined;
      await scene.put('eu-1');
      expect(last()).toMatchObject({ reason: 'its entry can be used again' });
      expect(scene.aware.engaged.map(({ name }) => name)).toEqual(['fleet/eu-1', 'fleet/eu-2']);
      await stop();
    },
  );

  it('PV-2: reconciles nothing while it does not run, and all known objects when it runs again', async () => {
    await using scene = await Scene.open();
    await scene.put('eu-1', 'eu-2');
    const stop = await scene.run();
    await stop();
    scene.provider.reconciled.length = 0;
    await scene.put('eu-1', 'eu-3');
    await scene.delete('eu-2');
    expect(scene.provider.reconciled).toEqual([]);
    expect(scene.aware.names).toEqual([]);

    const stopAgain = await scene.run();
    expect(scene.provider.reconciled.toSorted()).toEqual(['eu-1', 'eu-2', 'eu-3']);
    expect(scene.aware.names.toSorted()).toEqual(['fleet/eu-1', 'fleet/eu-3']);
    expect(scene.provider.hasKey(keyOf('eu-2'))).toBe(false);
    await stopAgain();
  });

  it('PV-2: reconciles an object again if the provider stopped during its reconcile', async () => {
    const reconciles = [Promise.withResolvers<void>()];
    await using scene = await Scene.open({ reconcile: async () => reconciles.pop()?.promise });
    const [reconcile] = reconciles;
    const stop = await scene.run();
    await scene.put('eu-1');
    await stop();
    reconcile?.resolve();
    await scene.fake.settle();
    expect(scene.made).toEqual([]);
    const stopAgain = await scene.run();
    expect(scene.aware.names).toEqual(['fleet/eu-1']);
    await stopAgain();
  });

  it('PV-3: a failed discovery is retried and does not disengage clusters', async () => {
    const discoveries = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let discovered = 0;
    await using scene = await Scene.open({ discover: async () => discoveries[discovered++]?.promise });
    const stop = await scene.run();
    await scene.put('eu-1');
    discoveries[0]?.reject(new Error('the registry is away'));
    await scene.fake.settle();
    expect(scene.aware.reports.at(-1)).toMatchObject({
      name: 'fleet/eu-1',
      reason: expect.stringContaining('is away'),
    });
    await scene.fake.clock.advance(2_000);
    expect(discovered).toBe(2);
    expect(scene.aware.names).toEqual(['fleet/eu-1']);
    expect(scene.made).toHaveLength(1);
    discoveries[1]?.resolve();
    await stop();
    expect(scene.aware.names).toEqual([]);
  });

  it('starts sources in the hub only, also sources that are added later', async () => {
    await using scene = await Scene.open();
    const member = FakeMember.synced(ConfigMap);
    await scene.engage('eu-1', member);
    scene.provider.watch(kindSource(ConfigMap, enqueueRequestForObject(), { namespaces: ['late'] }));
    await scene.fake.settle();
    expect(scene.hub.asked.map(({ scope }) => scope)).toEqual([
      { labelSelector: 'fleet=true' },
      { namespaces: ['late'] },
    ]);
    expect(member.asked).toEqual([]);
  });

  it('F-25: can be set up with one manager, once', async () => {
    await using scene = await Scene.open();
    await scene.provider.setupWithManager(scene.fake.manager);
    expect(scene.fake.added).toHaveLength(1);
    await expect(scene.provider.setupWithManager(new FakeManager().manager)).rejects.toThrow(
      'provider TestProvider is in use by another manager',
    );
  });

  it('F-25: can be set up with another manager after a set-up failed', async () => {
    const { provider } = new Scene();
    const [taken, free] = [new FakeManager(), new FakeManager()];
    taken.claimControllerName('test');
    await expect(provider.setupWithManager(taken.manager)).rejects.toThrow('controller test exists already');
    await provider.setupWithManager(free.manager);
    expect(free.added).toHaveLength(1);
  });

  it('does not run without a manager', async () => {
    const { provider, aware } = new Scene();
    await expect(provider.run(aware, new AbortController().signal)).rejects.toThrow(
      'provider TestProvider: pass it to a manager, or call setupWithManager',
    );
  });

  it('logs that the hub has no inventory object, once the watch has synced', async () => {
    await using scene = await Scene.open();
    const empty = () => scene.fake.lines.filter(({ message }) => message === 'no clusters found in the inventory');
    const stop = await scene.run();
    expect(empty()).toMatchObject([{ level: 'info', fields: { kind: 'v1 ConfigMap', labelSelector: 'fleet=true' } }]);
    await stop();
    await scene.put('eu-1');
    const stopAgain = await scene.run();
    expect(empty()).toHaveLength(1);
    await stopAgain();
  });
});
