import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiClient } from '@mcr/client';
import { ConfigMap, createClient, Namespace, Secret, silentLogger } from '@mcr/client';
import type { ControlPlane, ControlPlaneFleet } from '@mcr/envtest';
import { createControlPlaneFleet } from '@mcr/envtest';
import { createCluster } from '../../fleet/cluster/create-cluster.ts';
import { createManager } from '../../manager/create-manager.ts';
import { setFleetOwner } from '../../objects/fleet-owner/fleet-owner.ts';
import { InMemoryProvider } from '../../provider/in-memory-provider.ts';
import { eventually as eventuallyWithin } from '../../testing/eventually.ts';
import { controllerManagedBy } from '../builder/builder.ts';
import type { PlacementOptions } from './placement-options.ts';
import { desired } from './placement-options.ts';
import { PLACEMENT_LABEL, RECORD_LABEL } from './placement-record.ts';
import { Shop, shopDefinition } from './shop.fixture.ts';

const eventually = <Value>(condition: () => Value | Promise<Value>) =>
  eventuallyWithin(condition, { deadline: 60_000 });

/** Places one ConfigMap for each colour of a shop. */
const colours: PlacementOptions<Shop> = {
  statusInterval: 50,
  clusters: 'role=shop',
  kinds: [ConfigMap, Secret],
  objects: ({ metadata, spec }, { name }) =>
    (spec?.colours ?? []).map((colour) =>
      desired(ConfigMap, {
        metadata: { namespace: 'default', name: `${metadata.name}-${colour}` },
        data: { colour, cluster: name },
      }),
    ),
};

describe('places', () => {
  let fleet: ControlPlaneFleet;
  let hub: ApiClient;
  const clients = new Map<string, ApiClient>();
  const stops: (() => Promise<void>)[] = [];

  const clientOf = ({ name, config }: ControlPlane): ApiClient => {
    const client = clients.get(name) ?? createClient(config);
    clients.set(name, client);
    return client;
  };
  const [first, second] = [0, 1].map((index) => () => {
    const plane = fleet.members[index];
    if (!plane) throw new Error('expected two members');
    return plane;
  }) as [() => ControlPlane, () => ControlPlane];

  beforeAll(async () => {
    fleet = await createControlPlaneFleet({ members: 2, crds: [shopDefinition] });
    hub = clientOf(fleet.hub);
  });
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
  });
  afterAll(async () => {
    for (const client of clients.values()) await client.close();
    await fleet.stop();
  });

  /** Runs a manager with a placement. Its members are engaged by `join`. */
  async function run(name: string, options: Partial<PlacementOptions<Shop>> = {}) {
    const provider = new InMemoryProvider();
    const manager = await createManager({
      config: fleet.hub.config,
      provider,
      logger: silentLogger,
      metrics: { bindAddress: '0' },
    });
    await controllerManagedBy(manager)
      .named(name)
      .places(Shop, { ...colours, ...options });
    const end = new AbortController();
    const running = manager.start(end.signal);
    const stop = async () => {
      end.abort();
      await running;
    };
    stops.push(stop);
    const join = (plane: ControlPlane, labels: Record<string, string> = { role: 'shop' }) => {
      const cluster = createCluster(plane.config, { name: plane.name, info: { labels } });
      provider.set(plane.name, cluster);
      return cluster;
    };
    return { manager, provider, join, stop: async () => void (await stop(), stops.splice(stops.indexOf(stop), 1)) };
  }

  const shop = (name: string, ...colour: string[]) =>
    hub.create(Shop, { metadata: { namespace: 'default', name }, spec: { colours: colour } });
  const recolour = (name: string, ...colour: string[]) =>
    hub.patch(Shop, { namespace: 'default', name }, { spec: { colours: colour } }, 'merge');
  const find = (name: string) => hub.find(Shop, { namespace: 'default', name });
  const placedCondition = async (name: string) =>
    (await find(name))?.status?.conditions?.find(({ type }) => type === 'Placed');
  /** The objects of a shop in a member. */
  const copies = async (plane: ControlPlane, name: string) =>
    (await clientOf(plane).list(ConfigMap, { namespace: 'default', labelSelector: PLACEMENT_LABEL })).items
      .map(({ metadata }) => metadata.name)
      .filter((copy) => copy.startsWith(`${name}-`))
      .sort();
  const isGone = (name: string) => eventually(async () => (await find(name)) === undefined);

  it('FP-4: applies, changes and prunes objects, repairs them, and reports one condition', async () => {
    const { join } = await run('basic');
    join(first());
    join(second());
    await shop('basic', 'red', 'blue');
    await eventually(async () => {
      for (const plane of [first(), second()])
        expect(await copies(plane, 'basic')).toEqual(['basic-blue', 'basic-red']);
    });
    await eventually(async () =>
      expect(await placedCondition('basic')).toMatchObject({
        status: 'True',
        reason: 'AllPlaced',
        message: '2 of 2 clusters up to date',
        observedGeneration: 1,
      }),
    );
    const copy = await clientOf(first()).get(ConfigMap, { namespace: 'default', name: 'basic-red' });
    expect([copy.data, copy.metadata.ownerReferences]).toEqual([{ colour: 'red', cluster: first().name }, undefined]);

    await recolour('basic', 'blue', 'green');
    await eventually(async () => {
      for (const plane of [first(), second()])
        expect(await copies(plane, 'basic')).toEqual(['basic-blue', 'basic-green']);
    });
    await eventually(async () =>
      expect(await placedCondition('basic')).toMatchObject({ status: 'True', observedGeneration: 2 }),
    );

    const key = { namespace: 'default', name: 'basic-blue' };
    await clientOf(first()).patch(ConfigMap, key, { data: { colour: 'grey' } }, 'merge');
    await clientOf(second()).delete(ConfigMap, key);
    await eventually(async () => {
      for (const plane of [first(), second()]) {
        expect((await clientOf(plane).get(ConfigMap, key)).data?.['colour']).toBe('blue');
      }
    });

    await hub.delete(Shop, { namespace: 'default', name: 'basic' });
    await isGone('basic');
    for (const plane of [first(), second()]) expect(await copies(plane, 'basic')).toEqual([]);
    const records = await hub.list(ConfigMap, { labelSelector: RECORD_LABEL });
    expect(records.items).toEqual([]);
  });

  it('FP-4: places objects in clusters that join late, and deletes them from clusters that are not selected any more', async () => {
    const { join } = await run('late');
    join(first());
    await shop('late', 'red');
    await eventually(async () => expect(await copies(first(), 'late')).toEqual(['late-red']));
    const member = join(second(), { role: 'other' });
    await eventually(async () => expect(await placedCondition('late')).toMatchObject({ status: 'True' }));
    expect(await copies(second(), 'late')).toEqual([]);
    member.describe({ labels: { role: 'shop' }, properties: {} });
    await eventually(async () => expect(await copies(second(), 'late')).toEqual(['late-red']));
    member.describe({ labels: { role: 'other' }, properties: {} });
    await eventually(async () => expect(await copies(second(), 'late')).toEqual([]));
    expect(await copies(first(), 'late')).toEqual(['late-red']);
    await hub.delete(Shop, { namespace: 'default', name: 'late' });
    await isGone('late');
  });

  it('FP-3: the deletion of an owner waits for clusters that are away, also after a restart', async () => {
    const before = await run('away');
    before.join(first());
    before.join(second());
    await shop('away', 'red');
    await eventually(async () => {
      for (const plane of [first(), second()]) expect(await copies(plane, 'away')).toEqual(['away-red']);
    });
    await before.provider.delete(second().name);
    await hub.delete(Shop, { namespace: 'default', name: 'away' });
    await eventually(async () => expect(await copies(first(), 'away')).toEqual([]));
    await eventually(async () =>
      expect(await find('away')).toMatchObject({
        status: { conditions: [{ reason: 'Deleting' }], clusters: [{ name: second().name, reason: 'Away' }] },
      }),
    );
    await before.stop();
    const after = await run('away');
    after.join(first());
    await eventually(() => after.manager.fleet.get(first().name)?.phase === 'Engaged');
    expect([await copies(second(), 'away'), (await find('away'))?.metadata.name]).toEqual([['away-red'], 'away']);
    after.join(second());
    await isGone('away');
    expect(await copies(second(), 'away')).toEqual([]);
  });

  it('FP-3: gives up on clusters that are away after the time that the policy sets, and their objects remain', async () => {
    const { join, provider, stop } = await run('orphan', { deletionPolicy: { orphanAfter: 1_000 } });
    join(first());
    await shop('orphan', 'red');
    await eventually(async () => expect(await copies(first(), 'orphan')).toEqual(['orphan-red']));
    await provider.delete(first().name);
    await hub.delete(Shop, { namespace: 'default', name: 'orphan' });
    await isGone('orphan');
    expect(await copies(first(), 'orphan')).toEqual(['orphan-red']);
    // An owner that is created again with the same name takes them over.
    await stop();
    const again = await run('orphan');
    again.join(first());
    await shop('orphan', 'red');
    await eventually(async () => expect(await placedCondition('orphan')).toMatchObject({ status: 'True' }));
    await hub.delete(Shop, { namespace: 'default', name: 'orphan' });
    await isGone('orphan');
    expect(await copies(first(), 'orphan')).toEqual([]);
  });

  it('FP-3: gives up on an engaged cluster whose objects keep their finalizers for the time that the policy sets', async () => {
    const { join } = await run('held', { deletionPolicy: { orphanAfter: 1_000 } });
    join(first());
    await shop('held', 'red');
    await eventually(async () => expect(await copies(first(), 'held')).toEqual(['held-red']));
    const copy = { namespace: 'default', name: 'held-red' };
    const member = clientOf(first());
    await member.patch(ConfigMap, copy, { metadata: { finalizers: ['example.com/hold'] } }, 'merge');
    await hub.delete(Shop, { namespace: 'default', name: 'held' });
    await isGone('held');
    expect(await copies(first(), 'held')).toEqual(['held-red']);
    await member.patch(ConfigMap, copy, { metadata: { finalizers: null } }, 'merge');
  });

  it('FP-4: reports a cluster that fails, while others get their objects, and retries it', async () => {
    const { join } = await run('failing');
    const key = { namespace: 'default', name: 'failing-red' };
    await clientOf(first()).create(ConfigMap, { metadata: key, data: { colour: 'mine' } });
    join(first());
    join(second());
    await shop('failing', 'red');
    await eventually(async () => expect(await copies(second(), 'failing')).toEqual(['failing-red']));
    await eventually(async () =>
      expect(await find('failing')).toMatchObject({
        status: {
          conditions: [{ status: 'False', reason: 'SomeFailed' }],
          clusters: [
            {
              name: first().name,
              reason: 'Failed',
              message: expect.stringContaining('exists already and was not placed'),
            },
          ],
        },
      }),
    );
    expect((await clientOf(first()).get(ConfigMap, key)).data).toEqual({ colour: 'mine' });
    await clientOf(first()).delete(ConfigMap, key);
    await eventually(async () => expect(await placedCondition('failing')).toMatchObject({ status: 'True' }));
    await hub.delete(Shop, { namespace: 'default', name: 'failing' });
    await isGone('failing');
  });

  it('FP-4: reports a cluster whose objects cannot be computed, and forgets it when the owner is deleted', async () => {
    const { join } = await run('throwing', {
      objects: () => {
        throw new Error('no colour');
      },
    });
    join(first());
    await shop('throwing', 'red');
    await eventually(async () =>
      expect((await find('throwing'))?.status?.clusters).toEqual([
        { name: first().name, reason: 'Failed', message: 'no colour' },
      ]),
    );
    await hub.delete(Shop, { namespace: 'default', name: 'throwing' });
    await isGone('throwing');
    await eventually(async () =>
      expect((await hub.list(ConfigMap, { labelSelector: RECORD_LABEL })).items).toEqual([]),
    );
  });

  it('FP-4: deletes the record of an owner whose finalizer was removed by hand, and leaves its objects', async () => {
    const { join } = await run('forced');
    join(first());
    await shop('forced', 'red');
    await eventually(async () => expect(await placedCondition('forced')).toMatchObject({ status: 'True' }));
    const key = { namespace: 'default', name: 'forced-red' };
    await clientOf(first()).patch(ConfigMap, key, { metadata: { finalizers: ['example.com/hold'] } }, 'merge');
    await hub.delete(Shop, { namespace: 'default', name: 'forced' });
    await hub.patch(Shop, { namespace: 'default', name: 'forced' }, { metadata: { finalizers: null } }, 'merge');
    await isGone('forced');
    await eventually(async () =>
      expect((await hub.list(ConfigMap, { labelSelector: RECORD_LABEL })).items).toEqual([]),
    );
    expect(await copies(first(), 'forced')).toEqual(['forced-red']);
    await clientOf(first()).patch(ConfigMap, key, { metadata: { finalizers: null } }, 'merge');
  });

  it('FP-4: slows down and reports a function that returns other objects each time', async () => {
    let calls = 0;
    let isSteady = false;
    const { join } = await run('unsteady', {
      objects: ({ metadata: { name } }) => {
        calls += 1;
        return [
          desired(ConfigMap, {
            metadata: { namespace: 'default', name: `${name}-copy` },
            data: { call: isSteady ? 'last' : String(calls) },
          }),
        ];
      },
    });
    join(first());
    await shop('unsteady');
    await eventually(async () =>
      expect(await find('unsteady')).toMatchObject({
        status: {
          conditions: [{ status: 'False', reason: 'SomeFailed' }],
          clusters: [
            {
              name: first().name,
              reason: 'Failed',
              message: expect.stringContaining(
                'ConfigMap default/unsteady-copy is applied repeatedly: "objects" returns another data.call',
              ),
            },
          ],
        },
      }),
    );
    expect(calls).toBeLessThan(50);
    isSteady = true;
    await eventually(async () => expect(await placedCondition('unsteady')).toMatchObject({ status: 'True' }));
    await hub.delete(Shop, { namespace: 'default', name: 'unsteady' });
    await isGone('unsteady');
  });

  it('FP-4: never takes over an object of another hub', async () => {
    const { join } = await run('foreign');
    const key = { namespace: 'default', name: 'foreign-red' };
    const foreign = { metadata: { ...key, labels: { [PLACEMENT_LABEL]: 'foreign' } }, data: {} };
    const metadata = { namespace: 'default', name: 'foreign', uid: 'x', resourceVersion: '1', creationTimestamp: '' };
    setFleetOwner({ apiVersion: Shop.apiVersion, kind: Shop.kind, metadata }, foreign, { hub: 'another hub' });
    await clientOf(first()).create(ConfigMap, foreign);
    join(first());
    await shop('foreign', 'red');
    await eventually(async () =>
      expect((await find('foreign'))?.status?.clusters?.[0]?.message).toContain('is owned by Shop default/foreign'),
    );
    await hub.delete(Shop, { namespace: 'default', name: 'foreign' });
    await isGone('foreign');
    expect((await clientOf(first()).get(ConfigMap, key)).data).toBeUndefined();
    await clientOf(first()).delete(ConfigMap, key);
  });

  it('FP-4: deletes the objects of an owner that loses its label, and releases the owner', async () => {
    const { join } = await run('labelled', { labelSelector: 'place' });
    join(first());
    await hub.create(Shop, {
      metadata: { namespace: 'default', name: 'labelled', labels: { place: 'yes' } },
      spec: { colours: ['red'] },
    });
    await eventually(async () => expect(await copies(first(), 'labelled')).toEqual(['labelled-red']));
    await hub.patch(
      Shop,
      { namespace: 'default', name: 'labelled' },
      { metadata: { labels: { place: null } } },
      'merge',
    );
    await eventually(async () => expect(await copies(first(), 'labelled')).toEqual([]));
    await eventually(async () => expect((await find('labelled'))?.metadata.finalizers ?? []).toEqual([]));
    await hub.delete(Shop, { namespace: 'default', name: 'labelled' });
    await isGone('labelled');
  });

  it('FP-4: keeps the objects of two placements of one owner apart', async () => {
    const one = await run('one');
    const two = await run('two', {
      objects: ({ metadata }) => [
        desired(ConfigMap, { metadata: { namespace: 'default', name: `${metadata.name}-of-two` } }),
      ],
    });
    one.join(first());
    two.join(first());
    await shop('both', 'red');
    await eventually(async () => expect(await copies(first(), 'both')).toEqual(['both-of-two', 'both-red']));
    await recolour('both', 'blue');
    await eventually(async () => expect(await copies(first(), 'both')).toEqual(['both-blue', 'both-of-two']));
    await hub.delete(Shop, { namespace: 'default', name: 'both' });
    await isGone('both');
    expect(await copies(first(), 'both')).toEqual([]);
  });

  it('FP-4: waits for the finalizers of placed objects', async () => {
    const { join } = await run('held');
    join(first());
    await shop('held', 'red');
    const key = { namespace: 'default', name: 'held-red' };
    await eventually(async () => expect(await copies(first(), 'held')).toEqual(['held-red']));
    await clientOf(first()).patch(ConfigMap, key, { metadata: { finalizers: ['example.com/hold'] } }, 'merge');
    await hub.delete(Shop, { namespace: 'default', name: 'held' });
    await eventually(async () =>
      expect((await find('held'))?.status?.clusters).toEqual([
        {
          name: first().name,
          reason: 'Deleting',
          message: 'waiting for the deletion of 1 object: ConfigMap default/held-red',
        },
      ]),
    );
    await clientOf(first()).patch(ConfigMap, key, { metadata: { finalizers: null } }, 'merge');
    await isGone('held');
    expect(await clientOf(first()).find(ConfigMap, key)).toBeUndefined();
  });

  it('FP-3: a deleted owner waits until its Namespaces are gone', async () => {
    const { join } = await run('spaces', {
      kinds: [Namespace],
      objects: ({ metadata: { name } }) => [desired(Namespace, { metadata: { name: `space-of-${name}` } })],
    });
    join(first());
    await shop('spaces');
    await eventually(async () => expect(await placedCondition('spaces')).toMatchObject({ status: 'True' }));
    const held = { namespace: 'space-of-spaces', name: 'held' };
    await clientOf(first()).create(ConfigMap, { metadata: { ...held, finalizers: ['example.com/hold'] } });
    await hub.delete(Shop, { namespace: 'default', name: 'spaces' });
    await eventually(async () =>
      expect((await find('spaces'))?.status?.clusters).toEqual([
        {
          name: first().name,
          reason: 'Deleting',
          message: 'waiting for the deletion of 1 object: Namespace space-of-spaces',
        },
      ]),
    );
    await clientOf(first()).patch(ConfigMap, held, { metadata: { finalizers: null } }, 'merge');
    await isGone('spaces');
    expect(await clientOf(first()).find(Namespace, { name: held.namespace })).toBeUndefined();
  });
});
