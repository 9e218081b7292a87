import { describe, expect, it, jest } from '@jest/globals';
import { ConfigMap, Namespace, Secret } from '@mcr/client';
import { eventually } from '../../testing/eventually.ts';
import { InMemoryCluster } from '../../testing/in-memory-cluster.ts';
import { deleteFleetOwned } from './delete-fleet-owned.ts';
import { fleetHubId } from './fleet-hub-id.ts';
import { FLEET_OWNER_ANNOTATION, FLEET_OWNER_LABEL } from './fleet-owner.ts';
import { fleetOwner, fleetOwnerOf, removeFleetOwner, setFleetOwner } from './fleet-owner.ts';
import { isFleetOwned } from './fleet-owned-error.ts';
import { isInvalidOwner } from '../owner/invalid-owner-error.ts';

const owner = (uid = 'uid-1', name = 'palette') => ({
  apiVersion: 'shop.example.com/v1',
  kind: 'Shop',
  metadata: { namespace: 'hub-space', name, uid, resourceVersion: '1', creationTimestamp: '' },
});
const draft = (name = 'copy') => ({ metadata: { namespace: 'default', name, labels: { app: 'x' } } });

describe('setFleetOwner', () => {
  it('FP-3: marks the object by a label and an annotation, and never by an owner reference', () => {
    const object = draft();
    setFleetOwner(owner(), object, { hub: 'hub-1' });
    expect(object.metadata).not.toHaveProperty('ownerReferences');
    expect(object.metadata.labels).toEqual({ app: 'x', [FLEET_OWNER_LABEL]: expect.stringMatching(/^[0-9a-f]{40}$/) });
    expect(fleetOwnerOf(object)).toEqual({
      hub: 'hub-1',
      apiVersion: 'shop.example.com/v1',
      kind: 'Shop',
      namespace: 'hub-space',
      name: 'palette',
      uid: 'uid-1',
    });
  });

  it('FP-3: has no effect if the object has this owner already', () => {
    const object = draft();
    setFleetOwner(owner(), object, { hub: 'hub-1' });
    const before = structuredClone(object);
    setFleetOwner(owner(), object, { hub: 'hub-1' });
    expect(object).toEqual(before);
  });

  it('FP-3: replaces an owner that was created again with the same name', () => {
    const object = draft();
    setFleetOwner(owner('uid-1'), object, { hub: 'hub-1' });
    const label = (object.metadata.labels as Record<string, string>)[FLEET_OWNER_LABEL];
    setFleetOwner(owner('uid-2'), object, { hub: 'hub-1' });
    expect(fleetOwnerOf(object)?.uid).toBe('uid-2');
    expect((object.metadata.labels as Record<string, string>)[FLEET_OWNER_LABEL]).not.toBe(label);
  });

  it.each([
    ['another hub', owner(), 'hub-2'],
    ['another owner', owner('uid-2', 'other'), 'hub-1'],
  ])('FP-3: refuses an object of %s', (_what, other, hub) => {
    const object = draft();
    setFleetOwner(owner(), object, { hub: 'hub-1' });
    let thrown: unknown;
    try {
      setFleetOwner(other, object, { hub });
    } catch (error) {
      thrown = error;
    }
    expect(isFleetOwned(thrown) && thrown.message).toBe(
      'default/copy is owned by Shop hub-space/palette of the hub hub-1: rename one of the two objects, or delete that owner',
    );
  });

  it('FP-3: refuses an owner that was not created', () => {
    let thrown: unknown;
    try {
      setFleetOwner(owner(''), draft(), { hub: 'hub-1' });
    } catch (error) {
      thrown = error;
    }
    expect(isInvalidOwner(thrown)).toBe(true);
  });

  it.each(['', '{', '[]', '{"hub":"x"}', 'null', `"${'x'.repeat(3_000)}"`])(
    'FP-3: ignores the annotation %.20j',
    (text) => {
      expect(fleetOwnerOf({ metadata: { annotations: { [FLEET_OWNER_ANNOTATION]: text } } })).toBeUndefined();
    },
  );

  it('FP-3: an owner can be removed', () => {
    const object = draft();
    setFleetOwner(owner(), object, { hub: 'hub-1' });
    expect([removeFleetOwner(object), removeFleetOwner(object)]).toEqual([true, false]);
    expect(object.metadata).toEqual({ ...draft().metadata, annotations: {} });
  });
});

describe('fleetHubId', () => {
  it('FP-3: is the uid of the namespace kube-system, which is read once', async () => {
    const hub = new InMemoryCluster();
    await expect(fleetHubId(hub)).rejects.toThrow('kube-system');
    const { metadata } = await hub.client.create(Namespace, { metadata: { name: 'kube-system' } });
    const read = jest.spyOn(hub.apiReader, 'get');
    for (const _time of [1, 2]) expect(await fleetHubId(hub)).toBe(metadata.uid);
    expect(read).toHaveBeenCalledTimes(1);
  });
});

describe('deleteFleetOwned', () => {
  const of = (name: string, by = owner(), hub = 'hub-1', more: object = {}) => {
    const object = { metadata: { ...draft(name).metadata, ...more } };
    setFleetOwner(by, object, { hub });
    return object;
  };
  const names = async (member: InMemoryCluster) =>
    (await member.client.list(ConfigMap)).items.map(({ metadata }) => metadata.name).sort();

  it('FP-3: deletes the objects of one owner, of all kinds, and no others', async () => {
    const member = new InMemoryCluster({ name: 'a' });
    for (const object of [of('one'), of('two'), of('other-uid', owner('uid-2')), of('other-hub', owner(), 'hub-2')]) {
      await member.client.create(ConfigMap, object);
    }
    await member.client.create(Secret, of('one'));
    await member.client.create(ConfigMap, draft('unowned'));
    // A copy of the labels alone does not make an owner.
    await member.client.create(ConfigMap, { metadata: { ...of('copied').metadata, annotations: {} } });
    const options = { owner: fleetOwner(owner(), { hub: 'hub-1' }), kinds: [ConfigMap, Secret] };
    expect(await deleteFleetOwned(member, options)).toBe(0);
    expect(await names(member)).toEqual(['copied', 'other-hub', 'other-uid', 'unowned']);
    expect((await member.client.list(Secret)).items).toEqual([]);
    expect(await deleteFleetOwned(member, options)).toBe(0);
  });

  it('FP-3: counts the objects that wait for their finalizers', async () => {
    const member = new InMemoryCluster({ name: 'a' });
    await member.client.create(ConfigMap, of('held', owner(), 'hub-1', { finalizers: ['example.com/hold'] }));
    const options = { owner: fleetOwner(owner(), { hub: 'hub-1' }), kinds: [ConfigMap] };
    expect([await deleteFleetOwned(member, options), await deleteFleetOwned(member, options)]).toEqual([1, 1]);
    await member.client.patch(
      ConfigMap,
      { namespace: 'default', name: 'held' },
      { metadata: { finalizers: null } },
      'merge',
    );
    expect(await deleteFleetOwned(member, options)).toBe(0);
  });

  it('FP-3: counts a Namespace until it is gone, because it waits for its objects', async () => {
    const member = new InMemoryCluster({ name: 'a' });
    const { name } = draft('tenant').metadata;
    const namespace = { metadata: { name } };
    setFleetOwner(owner(), namespace, { hub: 'hub-1' });
    await member.client.create(Namespace, namespace);
    const held = { namespace: name, name: 'held' };
    await member.client.create(ConfigMap, { metadata: { ...held, finalizers: ['example.com/hold'] } });
    const options = { owner: fleetOwner(owner(), { hub: 'hub-1' }), kinds: [Namespace] };
    expect([await deleteFleetOwned(member, options), await deleteFleetOwned(member, options)]).toEqual([1, 1]);
    expect((await member.client.get(Namespace, { name })).metadata.deletionTimestamp).toBeDefined();
    await member.client.patch(ConfigMap, held, { metadata: { finalizers: null } }, 'merge');
    await eventually(async () => (await deleteFleetOwned(member, options)) === 0);
    expect(await member.client.find(Namespace, { name })).toBeUndefined();
  });
});
