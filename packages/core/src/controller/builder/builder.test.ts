import { afterEach, describe, expect, it } from '@jest/globals';
import type { OwnerReference } from '@mcr/client';
import { ConfigMap, Deployment, Secret, Shard } from '@mcr/client';
import { FakeOwnership } from '../../fleet/clusters/fake-ownership.fixture.ts';
import { FakeMember } from '../fake-member.fixture.ts';
import { FakeSlots } from '../sharded/fake-slots.fixture.ts';
import { enqueueMapped, enqueueMappedPreservingCluster } from '../handler/enqueue-mapped.ts';
import { enqueueRequestForObject } from '../handler/enqueue-object.ts';
import { ClusterNotFoundError } from '../../fleet/multicluster/cluster-not-found-error.ts';
import { funcs, generationChanged } from '../predicate/predicates.ts';
import type { Reconciler } from '../reconcile/reconciler.ts';
import type { RequestType } from '../reconcile/request.ts';
import { kindSource } from '../source/kind-source.ts';
import type { ControllerBuilder } from './builder.ts';
import { controllerManagedBy } from './builder.ts';
import { Scene } from './scene.fixture.ts';

const done: Reconciler = async () => undefined;

function ownedBy(...owners: (Partial<OwnerReference> & { name: string })[]) {
  return {
    ownerReferences: owners.map((owner) => ({ apiVersion: 'apps/v1', kind: 'Deployment', uid: owner.name, ...owner })),
  };
}

describe('builder', () => {
  let scene = new Scene();
  afterEach(() => scene.stop());

  it('FP-1: reconciles the requests for changes of the fleet, also without the objects of a kind', async () => {
    scene = new Scene();
    const builder = scene.builder
      .named('fleet')
      .watchesClusters(({ clusterName }) => [{ clusterName, namespace: 'shop', name: 'cart' }]);
    expect(await scene.run(builder, { 'eu-1': new FakeMember() })).toEqual(['cluster://eu-1/shop/cart']);
  });

  it('reconciles the objects of a kind in every engaged cluster', async () => {
    scene = new Scene();
    const member = FakeMember.synced(ConfigMap);
    member.informer(ConfigMap).set({ namespace: 'shop', name: 'cart' });
    const controller = scene.builder.for(ConfigMap);
    const built = await controller.build(done);
    expect(scene.fake.added).toEqual([built]);
    expect(built.name).toBe('configmap');
    await scene.run(scene.builder.named('again').for(ConfigMap), { 'eu-1': member });
    member.informer(ConfigMap).set({ namespace: 'shop', name: 'stock' });
    expect(await scene.settle()).toEqual(['cluster://eu-1/shop/stock']);
  });

  it('CT-6: predicates apply to their watch, event filters to all of for, owns and watches, not to raw sources', async () => {
    scene = new Scene();
    const a = FakeMember.synced(ConfigMap, Secret, Deployment);
    for (const kind of [ConfigMap, Secret, Deployment]) {
      for (const word of ['plain', 'private', 'hidden']) {
        a.informer(kind).set({ name: `${word}-${kind.kind}` }, ownedBy({ name: `owner-of-${word}`, controller: true }));
      }
    }
    const raw = kindSource(Secret, ({ clusterName, object: { metadata } }, { queue }) =>
      queue.add({ clusterName, namespace: 'raw', name: metadata.name }),
    );
    const without = (word: string) => funcs({ create: ({ object }) => !object.metadata.name.includes(word) });
    const seen = await scene.run(
      scene.builder
        .for(Deployment, { predicates: [without('private')] })
        .owns(ConfigMap)
        .watches(Secret, enqueueRequestForObject())
        .watchesRawSource(raw)
        .withEventFilter(without('hidden')),
      { a },
    );
    expect(seen.toSorted()).toEqual(
      [
        ...['plain-Deployment'],
        ...['owner-of-plain', 'owner-of-private'],
        ...['plain-Secret', 'private-Secret'],
        ...['raw/plain-Secret', 'raw/private-Secret', 'raw/hidden-Secret'],
      ]
        .map((name) => `cluster://a/${name}`)
        .toSorted(),
    );
  });

  it('CT-6: filters create, update and delete events', async () => {
    scene = new Scene();
    const member = FakeMember.synced(ConfigMap);
    const informer = member.informer(ConfigMap);
    await scene.run(scene.builder.for(ConfigMap, { predicates: [generationChanged, funcs({ delete: () => false })] }), {
      a: member,
    });
    informer.set({ name: 'x' }, { generation: 1 });
    expect(await scene.settle()).toEqual(['cluster://a/x']);
    informer.set({ name: 'x' }, { generation: 1 });
    expect(await scene.settle()).toEqual([]);
    informer.set({ name: 'x' }, { generation: 2 });
    expect(await scene.settle()).toEqual(['cluster://a/x']);
    informer.delete({ name: 'x' });
    expect(await scene.settle()).toEqual([]);
  });

  it('CT-7: owns enqueues the controlling owner, by group and kind whatever the version, in its own cluster', async () => {
    scene = new Scene();
    const [a, b] = [FakeMember.synced(Deployment, Secret), FakeMember.synced(Deployment, Secret)];
    await scene.run(scene.builder.for(Deployment).owns(Secret), { a, b });
    const owners = [
      { name: 'web', controller: true, apiVersion: 'apps/v1beta2' },
      { name: 'other' },
      { name: 'fake', controller: true, apiVersion: 'example.com/v1' },
      { name: 'set', controller: true, kind: 'StatefulSet' },
    ];
    a.informer(Secret).set({ namespace: 'shop', name: 's' }, ownedBy(...owners));
    expect(await scene.settle()).toEqual(['cluster://a/shop/web']);
    a.informer(Secret).set({ namespace: 'shop', name: 's' }, ownedBy({ name: 'next', controller: true }));
    expect(await scene.settle()).toEqual(['cluster://a/shop/web', 'cluster://a/shop/next']);
  });

  it('CT-7: owns with everyOwner enqueues every owner of the kind', async () => {
    scene = new Scene();
    const a = FakeMember.synced(Deployment, Secret);
    await scene.run(scene.builder.for(Deployment).owns(Secret, { everyOwner: true }), { a });
    a.informer(Secret).set({ namespace: 'shop', name: 's' }, ownedBy({ name: 'web', controller: true }, { name: 'b' }));
    expect(await scene.settle()).toEqual(['cluster://a/shop/web', 'cluster://a/shop/b']);
  });

  it.each<[string, (builder: ControllerBuilder) => ControllerBuilder, string]>([
    ['two for', (b) => b.for(ConfigMap).for(Secret), 'for() may be called once'],
    [
      'neither for nor named',
      (b) => b.watches(Secret, enqueueRequestForObject()),
      'controller: it has no name; call for(), which names it after the kind, or named()',
    ],
    ['owns without for', (b) => b.named('x').owns(Secret), 'owns() needs for()'],
    ['no watches at all', (b) => b.named('x'), 'it watches nothing'],
    ['an empty builder', (b) => b, 'it watches nothing'],
    ['a kind with no name to derive', (b) => b.for({ apiVersion: 'v1', kind: '' }), 'call named()'],
  ])('CT-8: refuses %s', async (_, describeController, message) => {
    scene = new Scene();
    await expect(describeController(scene.builder).complete(done)).rejects.toThrow(message);
    expect(scene.fake.added).toEqual([]);
  });

  it('CT-8: refuses two reconcilers, and a name that is in use', async () => {
    scene = new Scene();
    const builder = scene.builder.for(ConfigMap);
    await builder.complete(done);
    await expect(builder.complete(done)).rejects.toThrow('it has a reconciler already');
    const other = scene.builder.for(ConfigMap);
    await expect(other.complete(done)).rejects.toThrow('controller configmap exists already');
    await other.named('other').complete(done);
  });

  it('CT-8: refuses unknown options, naming the call and the option', async () => {
    scene = new Scene();
    const misspelt: object = { predicate: [generationChanged] };
    expect(() => scene.builder.for(ConfigMap, misspelt)).toThrow('for(ConfigMap): unknown option "predicate"');
    const wrong: object = { engage: { locals: true } };
    expect(() => scene.builder.watches(Secret, enqueueRequestForObject(), wrong)).toThrow(
      'watches(Secret): unknown option "engage.locals"',
    );
    const tooMany: object = { maxConcurrency: 1 };
    await expect(scene.builder.for(ConfigMap).withOptions(tooMany).complete(done)).rejects.toThrow(
      'controller "configmap": unknown option "maxConcurrency"',
    );
  });

  it('RC-8: refuses for and owns with a custom request type', async () => {
    scene = new Scene();
    const requestType: RequestType<string> = { key: (r) => r, clusterOf: () => 'a', withCluster: (r) => r };
    const builder = controllerManagedBy(scene.fake.manager, { requestType });
    await expect(builder.for(ConfigMap).complete(async () => undefined)).rejects.toThrow('use watches()');
  });

  it('RC-8: allows watches with a custom request type, whose requests are dropped with their cluster', async () => {
    scene = new Scene();
    interface Shard {
      readonly region: string;
      readonly shard: number;
    }
    const requestType: RequestType<Shard> = {
      key: ({ shard }) => String(shard),
      clusterOf: ({ region }) => region,
      withCluster: (request, region) => ({ ...request, region }),
    };
    const seen: string[] = [];
    const [abort, left] = [new AbortController(), new AbortController()];
    const controller = await controllerManagedBy(scene.fake.manager, { requestType })
      .named('shards')
      .watches(
        ConfigMap,
        enqueueMappedPreservingCluster<ConfigMap, Shard>(({ metadata }, { clusterName }) => [
          { region: clusterName, shard: metadata.name.length },
        ]),
      )
      .build(async ({ region, shard }, { clusterName, signal }) => {
        seen.push(`${region}#${shard} of ${clusterName}`);
        signal.addEventListener('abort', () => seen.push(`${region}#${shard} aborted`));
        if (region === 'a') await new Promise(() => undefined);
      });
    void controller.run(abort.signal);
    for (const [name, signal] of Object.entries({ a: left.signal, b: abort.signal })) {
      const member = FakeMember.synced(ConfigMap);
      for (const name of ['x', 'y', 'xx']) member.informer(ConfigMap).set({ name });
      await controller.engage(name, member, signal);
    }
    await scene.settle();
    expect(seen).toEqual(['a#1 of a']);
    left.abort();
    expect(seen).toEqual(['a#1 of a', 'a#1 aborted']);
    abort.abort();
  });

  it('CT-9: a named controller with watches works without for, and several named controllers can watch one kind', async () => {
    scene = new Scene();
    const a = FakeMember.synced(ConfigMap);
    await scene.builder.named('first').for(ConfigMap).complete(done);
    await scene.run(scene.builder.named('second').watches(ConfigMap, enqueueRequestForObject()), { a });
    a.informer(ConfigMap).set({ name: 'x' });
    expect(await scene.settle()).toEqual(['cluster://a/x']);
  });

  it('requests an informer with the scope and, with metadataOnly, only for metadata', async () => {
    scene = new Scene();
    const a = FakeMember.synced(ConfigMap);
    await scene.run(
      scene.builder
        .for(ConfigMap, { namespaces: ['shop'], labelSelector: 'app=web', fieldSelector: 'metadata.name=x' })
        .watches(Secret, enqueueRequestForObject(), { metadataOnly: true }),
      { a },
    );
    expect(a.asked).toEqual([
      {
        kind: 'v1 ConfigMap',
        scope: { namespaces: ['shop'], labelSelector: 'app=web', fieldSelector: 'metadata.name=x' },
      },
      { kind: 'v1 Secret (metadata)', scope: {} },
    ]);
  });

  it('CT-13: a mapped request gets the cluster of the event, and a preserving mapper keeps its cluster', async () => {
    scene = new Scene();
    const a = FakeMember.synced(ConfigMap, Secret);
    await scene.run(
      scene.builder
        .named('x')
        .watches(
          ConfigMap,
          enqueueMapped(() => [{ clusterName: 'ignored', name: 'mapped' }]),
        )
        .watches(
          Secret,
          enqueueMappedPreservingCluster(async () => [{ clusterName: 'b', namespace: '', name: 'kept' }]),
        ),
      { a },
    );
    a.informer(ConfigMap).set({ name: 'c' });
    a.informer(Secret).set({ name: 's' });
    expect(await scene.settle()).toEqual(['cluster://a/mapped', 'cluster://b/kept']);
  });

  it('CT-14: takes the concurrency of its group and kind from the manager by default', async () => {
    const groupKindConcurrency = { 'Deployment.apps': 2, ConfigMap: 3 };
    const concurrencyOf = async (describeController: (b: ControllerBuilder) => ControllerBuilder) => {
      scene = new Scene({ controllerOptions: { maxConcurrentReconciles: 1, groupKindConcurrency } });
      let active = 0;
      const controller = await describeController(scene.builder).build(() => {
        active += 1;
        return new Promise(() => undefined);
      });
      void controller.run(new AbortController().signal);
      const member = FakeMember.synced(Deployment, ConfigMap, Secret);
      for (const kind of [Deployment, ConfigMap, Secret]) {
        for (let i = 0; i < 9; i++) member.informer(kind).set({ name: `x${i}` });
      }
      await controller.engage('a', member, new AbortController().signal);
      await scene.settle();
      return active;
    };
    expect(await concurrencyOf((b) => b.for(Deployment))).toBe(2);
    expect(await concurrencyOf((b) => b.for(ConfigMap))).toBe(3);
    expect(await concurrencyOf((b) => b.for(Secret))).toBe(1);
    expect(await concurrencyOf((b) => b.for(ConfigMap).withOptions({ maxConcurrentReconciles: 5 }))).toBe(5);
    scene = new Scene();
  });

  it('RC-4: ends requests of a disengaged cluster, unless the wrapper is off', async () => {
    for (const wrap of [undefined, false]) {
      scene = new Scene();
      const builder = scene.builder.for(ConfigMap);
      if (wrap !== undefined) builder.withClusterNotFoundWrapper(wrap);
      const abort = new AbortController();
      const controller = await builder.build(async (_, { cluster }) => void (await cluster()));
      const ended = controller.run(abort.signal);
      const member = FakeMember.synced(ConfigMap);
      member.informer(ConfigMap).set({ name: 'x' });
      await controller.engage('a', member, abort.signal);
      await scene.settle();
      expect(scene.fake.outcomes.map(({ result, error }) => [result, error])).toEqual([
        wrap === undefined ? ['success', undefined] : ['error', new ClusterNotFoundError('a')],
      ]);
      abort.abort();
      await ended;
    }
  });

  describe('with shardBy', () => {
    const cart = { namespace: 'shop', name: 'cart' };
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'cart', uid: 'uid-of-cart', controller: true };

    it.each<'uid' | Shard>(['uid', new Shard({ field: 'uid', ranges: [] })])(
      'SH-10: the requests of for and owns have the uid of their object if it divides by uid',
      async (shardBy) => {
        const hub = FakeMember.synced(ConfigMap, Secret);
        hub.informer(ConfigMap).set(cart, { uid: 'uid-of-cart' });
        hub.informer(Secret).set({ namespace: 'shop', name: 'token' }, { ownerReferences: [owner] });
        const slots = new FakeSlots();
        scene = new Scene({ provider: false, ownership: new FakeOwnership(), slots });
        slots.set('active', ...slots.all);
        const builder = scene.builder.for(ConfigMap).owns(Secret).shardBy(shardBy);
        expect(await scene.run(builder, { '': hub })).toEqual(['shop/cart (uid uid-of-cart)']);
      },
    );

    it('SH-10: refuses options of other methods, and shardBy of a controller that watches only members', async () => {
      scene = new Scene({ provider: false });
      const options = { shardBy: 'uid', maxConcurrentReconciles: 2 } as const;
      expect(() => scene.builder.for(ConfigMap).withOptions(options)).toThrow(
        'withOptions: option "shardBy" belongs to the builder: call shardBy() instead',
      );
      await expect(
        new Scene().builder
          .for(ConfigMap)
          .shardBy('uid')
          .complete(async () => undefined),
      ).rejects.toThrow('shardBy() divides the requests for the local cluster, and it watches only members');
      const builder = new Scene().builder.for(ConfigMap, { engage: { local: true } }).shardBy('uid');
      await builder.complete(async () => undefined);
    });

    it('SH-10: a function divides the requests, and without sharding nothing changes', async () => {
      const hub = FakeMember.synced(ConfigMap);
      hub.informer(ConfigMap).set(cart);
      scene = new Scene({ provider: false });
      const builder = scene.builder.for(ConfigMap).shardBy(({ name }) => name);
      expect(await scene.run(builder, { '': hub })).toEqual(['shop/cart']);
    });
  });
});
