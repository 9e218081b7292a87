import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client } from '@mcr/client';
import { ConfigMap, Namespace } from '@mcr/client';
import type { ControlPlane, ControlPlaneFleet } from '@mcr/envtest';
import { createControlPlaneFleet } from '@mcr/envtest';
import type { Cluster } from '../../fleet/cluster/cluster.ts';
import { createCluster } from '../../fleet/cluster/create-cluster.ts';
import { createOrPatch } from '../mutation/create-or-patch.ts';
import { createOrUpdate } from '../mutation/create-or-update.ts';
import { isInvalidOwner } from './invalid-owner-error.ts';
import { setControllerReference, setOwnerReference } from './owner-reference.ts';

const owner = { namespace: 'default', name: 'owner' };
const REFUSAL =
  'ConfigMap default/owner of the local cluster cannot own default/child of cluster "eu-1": its garbage collector would delete the object, because it does not find the owner there: refer to the owner by a label or an annotation, and delete the object with a finalizer on the owner';

describe('an owner in another cluster than its object', () => {
  let fleet: ControlPlaneFleet;
  let [hub, member, hubAsMember] = [] as unknown as [Cluster, Cluster, Cluster];
  const end = new AbortController();
  const runs: Promise<void>[] = [];
  let names = 0;

  const clusterOf = (plane: ControlPlane, name?: string) => {
    const cluster = createCluster(plane.config, name === undefined ? {} : { name });
    runs.push(cluster.run(end.signal));
    return cluster;
  };
  /** Returns the key of a new object. */
  const child = () => ({ namespace: 'default', name: `child-${names++}` });

  beforeAll(async () => {
    fleet = await createControlPlaneFleet({ members: 1 });
    const [one] = fleet.members;
    if (!one) throw new Error('expected a member');
    hub = clusterOf(fleet.hub, '');
    member = clusterOf(one, 'eu-1');
    // The same cluster under another host name, as a provider may discover it.
    const alias = { ...fleet.hub.config, server: fleet.hub.config.server.replace('127.0.0.1', 'localhost') };
    hubAsMember = createCluster(alias, { name: 'hub' });
    runs.push(hubAsMember.run(end.signal));
    await hub.client.create(ConfigMap, { metadata: owner });
  });

  afterAll(async () => {
    end.abort();
    await Promise.all(runs);
    await fleet.stop();
  });

  it.each<[string, () => Promise<ConfigMap>]>([
    ['the cache', () => hub.client.get(ConfigMap, owner) as Promise<ConfigMap>],
    ['the API server', () => hub.apiReader.get(ConfigMap, owner) as Promise<ConfigMap>],
    [
      'a list of the API server',
      async () =>
        (await hub.apiReader.list(ConfigMap, { namespace: 'default' })).items.find(
          ({ metadata }) => metadata.name === 'owner',
        ) as ConfigMap,
    ],
    [
      'an index of the cache',
      async () =>
        (await hub.client.list(ConfigMap, { namespace: 'default' })).items.find(
          ({ metadata }) => metadata.name === 'owner',
        ) as ConfigMap,
    ],
  ])('FP-3: is refused, with the owner from %s and a draft', async (_, read) => {
    const key = { namespace: 'default', name: 'child' };
    const draft = { metadata: { ...key } };
    setControllerReference(await read(), draft);
    await expect(member.client.create(ConfigMap, draft)).rejects.toThrow(REFUSAL);
    await expect(member.client.apply(ConfigMap, draft, { fieldManager: 'test' })).rejects.toThrow(REFUSAL);
    const patch = { metadata: { ownerReferences: (draft.metadata as ConfigMap['metadata']).ownerReferences } };
    await expect(member.client.patch(ConfigMap, key, patch, 'merge')).rejects.toThrow(REFUSAL);
    await expect(member.apiReader.find(ConfigMap, key)).resolves.toBeUndefined();
  });

  it('FP-3: is refused at once for an object that was read, and the object does not change', async () => {
    const key = child();
    const object = await member.client.create(ConfigMap, { metadata: key });
    const from = await hub.client.get(ConfigMap, owner);
    for (const set of [setControllerReference, setOwnerReference]) {
      let thrown: unknown;
      try {
        set(from, object);
      } catch (error) {
        thrown = error;
      }
      expect(isInvalidOwner(thrown)).toBe(true);
    }
    expect(object.metadata.ownerReferences).toBeUndefined();
  });

  it.each<[string, (client: Client, key: { namespace: string; name: string }, from: ConfigMap) => Promise<unknown>]>([
    [
      'createOrUpdate',
      (client, key, from) => createOrUpdate(client, ConfigMap, key, (made) => setControllerReference(from, made)),
    ],
    [
      'createOrPatch',
      (client, key, from) => createOrPatch(client, ConfigMap, key, (made) => setOwnerReference(from, made)),
    ],
  ])('FP-3: is refused by %s, which creates and changes nothing', async (_, write) => {
    const [absent, present] = [child(), child()];
    await member.client.create(ConfigMap, { metadata: present });
    const from = (await hub.client.get(ConfigMap, owner)) as ConfigMap;
    await expect(write(member.client, absent, from)).rejects.toThrow('of the local cluster cannot own');
    await expect(write(member.client, present, from)).rejects.toThrow('of the local cluster cannot own');
    await expect(member.apiReader.find(ConfigMap, absent)).resolves.toBeUndefined();
    expect((await member.apiReader.get(ConfigMap, present)).metadata.ownerReferences).toBeUndefined();
  });

  it('FP-3: is recognized by UID if the cache holds a newer version of the owner', async () => {
    const from = await hub.client.get(ConfigMap, owner);
    await hub.client.patch(ConfigMap, owner, { data: { a: '1' } }, 'merge');
    const draft = { metadata: child() };
    setControllerReference(from, draft);
    await expect(member.client.create(ConfigMap, draft)).rejects.toThrow('cannot own');
  });

  it('FP-3: is accepted in its own cluster, also under another name of that cluster', async () => {
    for (const from of [await hub.client.get(ConfigMap, owner), await hub.apiReader.get(ConfigMap, owner)]) {
      for (const { client } of [hub, hubAsMember]) {
        const draft = { metadata: child() };
        setControllerReference(from, draft);
        await expect(client.create(ConfigMap, draft)).resolves.toMatchObject({
          metadata: { ownerReferences: [{ uid: from.metadata.uid, controller: true }] },
        });
      }
    }
  });

  it('FP-3: is accepted if its cluster is unknown: a reference or an owner that the program created', async () => {
    const namespace = await hub.apiReader.get(Namespace, { name: 'default' });
    const byHand = { apiVersion: 'v1', kind: 'Namespace', metadata: { ...namespace.metadata } };
    const draft = { metadata: child() };
    setOwnerReference(byHand, draft);
    await expect(member.client.create(ConfigMap, draft)).resolves.toBeDefined();
  });
});
