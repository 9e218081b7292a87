import { describe, expect, it } from '@jest/globals';
import { ConfigMap } from '@mcr/client';
import { FakeCluster } from '../fleet/cluster/fake-cluster.fixture.ts';
import { FakeManager } from '../controller/fake-manager.fixture.ts';
import { FakeMember } from '../controller/fake-member.fixture.ts';
import { enqueueRequestForObject } from '../controller/handler/enqueue-object.ts';
import { LOCAL_CLUSTER } from '../fleet/multicluster/cluster-name.ts';
import { TerminalError } from '../controller/reconcile/terminal-error.ts';
import { kindSource } from '../controller/source/kind-source.ts';
import type { HubInventoryOptions } from './hub-inventory.ts';
import { HubInventory } from './hub-inventory.ts';
import { RecordingAware } from '../fleet/clusters/recording-aware.fixture.ts';

const keyOf = (name: string) => ({ namespace: 'fleet', name });

/** An inventory of the ConfigMaps in a hub, set up with a manager whose controllers run; every ConfigMap is a cluster. */
class Scene implements AsyncDisposable {
  readonly fake = new FakeManager();
  readonly hub = FakeMember.synced(ConfigMap);
  readonly aware = new RecordingAware();
  readonly made: FakeCluster[] = [];
  /** Names of the objects that were looked at, in order. */
  readonly looked: string[] = [];
  readonly inventory: HubInventory;
  readonly #objects = new Set<string>();
  readonly #end = new AbortController();
  #controller: Promise<void> | undefined;

  /** @param look what else is done at each look. */
  constructor(look: HubInventoryOptions['look'] = async () => undefined) {
    this.inventory = new HubInventory({
      provider: 'TestProvider',
      controllerName: 'test',
      nameOf: ({ namespace, name }) => `${namespace}/${name}`,
      newCluster: (_config, { info }) => {
        const cluster = FakeCluster.ready();
        cluster.describe({ labels: {}, properties: {}, ...info });
        this.made.push(cluster);
        return cluster;
      },
      look: async (request, context) => {
        this.looked.push(request.name);
        await look(request, context);
        const cluster = `${request.namespace}/${request.name}`;
        if (!this.#objects.has(request.name)) this.inventory.roster.remove(cluster, 'it was deleted');
        else this.inventory.roster.admit(cluster, { digest: '1', config: () => ({ server: 'https://a' }), info: {} });
      },
    });
    this.inventory.watch(kindSource(ConfigMap, enqueueRequestForObject()));
  }

  static async open(look?: HubInventoryOptions['look']): Promise<Scene> {
    const scene = new Scene(look);
    await scene.inventory.setupWithManager(scene.fake.manager);
    const [runnable] = scene.fake.added;
    scene.#controller = runnable?.run(scene.#end.signal);
    await scene.engage(LOCAL_CLUSTER, scene.hub);
    return scene;
  }

  /** Tells the controller of a cluster. */
  async engage(name: string, cluster: FakeMember): Promise<void> {
    await this.fake.added[0]?.engage?.(name, cluster, this.#end.signal);
    await this.fake.settle();
  }

  /** Opens the inventory, until the returned function is called. */
  async run(discover?: () => Promise<void>): Promise<() => Promise<void>> {
    const end = new AbortController();
    const ended = this.inventory.run(this.aware, end.signal, discover);
    await this.fake.settle();
    return async () => {
      end.abort();
      await ended;
    };
  }

  async put(...names: readonly string[]): Promise<void> {
    for (const name of names) {
      this.#objects.add(name);
      this.hub.informer(ConfigMap).set(keyOf(name));
    }
    await this.fake.settle();
  }

  async delete(name: string): Promise<void> {
    this.#objects.delete(name);
    this.hub.informer(ConfigMap).delete(keyOf(name));
    await this.fake.settle();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort();
    await this.#controller;
  }
}

describe('HubInventory', () => {
  it('looks at every object when it is opened, at none before, and at each change', async () => {
    await using scene = await Scene.open();
    await scene.put('eu-1', 'eu-2');
    expect(scene.looked).toEqual([]);
    const stop = await scene.run();
    expect(scene.looked).toEqual(['eu-1', 'eu-2']);
    await scene.put('eu-2');
    await scene.put('eu-3');
    expect(scene.looked).toEqual(['eu-1', 'eu-2', 'eu-2', 'eu-3']);
    expect(scene.aware.names).toEqual(['fleet/eu-1', 'fleet/eu-2', 'fleet/eu-3']);
    await stop();
  });

  it('keeps nothing of an object that is gone', async () => {
    await using scene = await Scene.open();
    const stop = await scene.run();
    await scene.put('eu-1', 'eu-2');
    expect(scene.inventory.keys()).toMatchObject([keyOf('eu-1'), keyOf('eu-2')]);
    await scene.delete('eu-1');
    expect(scene.inventory.keys()).toMatchObject([keyOf('eu-2')]);
    expect(scene.inventory.has(keyOf('eu-1'))).toBe(false);
    expect(scene.inventory.has(keyOf('eu-2'))).toBe(true);
    expect(scene.aware.names).toEqual(['fleet/eu-2']);
    await stop();
  });

  it('PV-5: looks again, after 5 s, at the object of a cluster that was lost', async () => {
    await using scene = await Scene.open();
    const stop = await scene.run();
    await scene.put('eu-1');
    scene.made[0]?.fail(new Error('out of memory'));
    await scene.fake.clock.advance(4_999);
    expect(scene.looked).toEqual(['eu-1']);
    expect(scene.aware.names).toEqual([]);
    await scene.fake.clock.advance(1);
    expect(scene.looked).toEqual(['eu-1', 'eu-1']);
    expect(scene.aware.names).toEqual(['fleet/eu-1']);
    await stop();
  });

  it('looks again at an object that could not be looked at', async () => {
    let failures = 1;
    await using scene = await Scene.open(async () => {
      if (failures-- > 0) throw new Error('the hub is away');
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
    ['a TerminalError, which only a change of the object mends', new TerminalError('data: expected an object'), 1],
  ])('PV-4, S-14: keeps the cluster of an object whose look throws %s, and reports it', async (_, error, looks) => {
    let failure: Error | undefined;
    await using scene = await Scene.open(async ({ name }) => {
      if (failure && name === 'eu-1') throw failure;
    });
    const stop = await scene.run();
    await scene.put('eu-1');
    failure = error;
    await scene.put('eu-1', 'eu-2');
    expect(scene.aware.names).toEqual(['fleet/eu-1', 'fleet/eu-2']);
    const last = () => scene.aware.reports.findLast(({ name }) => name === 'fleet/eu-1');
    expect(last()).toMatchObject({
      phase: 'Unreachable',
      reason: `${error.message}; the cluster is kept as it was before`,
    });
    await scene.fake.clock.advance(5);
    expect(scene.looked.filter((name) => name === 'eu-1')).toHaveLength(1 + looks);
    failure = undefined;
    await scene.put('eu-1');
    expect(last()).toMatchObject({ reason: 'its entry can be used again' });
    expect(scene.aware.engaged.map(({ name }) => name)).toEqual(['fleet/eu-1', 'fleet/eu-2']);
    await stop();
  });

  it('PV-2: looks at nothing while it is closed, and at all that there was when it is opened again', async () => {
    await using scene = await Scene.open();
    await scene.put('eu-1', 'eu-2');
    const stop = await scene.run();
    await stop();
    scene.looked.length = 0;
    await scene.put('eu-1', 'eu-3');
    await scene.delete('eu-2');
    expect(scene.looked).toEqual([]);
    expect(scene.aware.names).toEqual([]);

    const stopAgain = await scene.run();
    expect(scene.looked.toSorted()).toEqual(['eu-1', 'eu-2', 'eu-3']);
    expect(scene.aware.names.toSorted()).toEqual(['fleet/eu-1', 'fleet/eu-3']);
    expect(scene.inventory.has(keyOf('eu-2'))).toBe(false);
    await stopAgain();
  });

  it('PV-2: looks again at an object during whose look it was closed', async () => {
    const looks = [Promise.withResolvers<void>()];
    await using scene = await Scene.open(async () => looks.pop()?.promise);
    const [look] = looks;
    const stop = await scene.run();
    await scene.put('eu-1');
    await stop();
    look?.resolve();
    await scene.fake.settle();
    expect(scene.made).toEqual([]);
    const stopAgain = await scene.run();
    expect(scene.aware.names).toEqual(['fleet/eu-1']);
    await stopAgain();
  });

  it('PV-3: a discovery that fails ends no cluster, and is tried again', async () => {
    await using scene = await Scene.open();
    const discoveries = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let discovered = 0;
    const stop = await scene.run(async () => discoveries[discovered++]?.promise);
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

  it('looks for objects in the hub alone, also by a source that comes later', async () => {
    await using scene = await Scene.open();
    const member = FakeMember.synced(ConfigMap);
    await scene.engage('eu-1', member);
    scene.inventory.watch(kindSource(ConfigMap, enqueueRequestForObject(), { namespaces: ['late'] }));
    await scene.fake.settle();
    expect(scene.hub.asked.map(({ scope }) => scope)).toEqual([{}, { namespaces: ['late'] }]);
    expect(member.asked).toEqual([]);
  });

  it('F-25: is set up with one manager, once', async () => {
    await using scene = await Scene.open();
    await scene.inventory.setupWithManager(scene.fake.manager);
    expect(scene.fake.added).toHaveLength(1);
    await expect(scene.inventory.setupWithManager(new FakeManager().manager)).rejects.toThrow(
      'provider TestProvider is in use by another manager',
    );
  });

  it('F-25: can be set up with another manager after a set-up has failed', async () => {
    const { inventory } = new Scene();
    const [taken, free] = [new FakeManager(), new FakeManager()];
    taken.claimControllerName('test');
    await expect(inventory.setupWithManager(taken.manager)).rejects.toThrow('controller test exists already');
    await inventory.setupWithManager(free.manager);
    expect(free.added).toHaveLength(1);
  });

  it('does not run without a manager', async () => {
    const { inventory, aware } = new Scene();
    await expect(inventory.run(aware, new AbortController().signal)).rejects.toThrow(
      'TestProvider: give it to a manager, or call setupWithManager',
    );
  });
});
