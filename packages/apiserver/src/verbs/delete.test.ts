import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ControlPlane } from '../control-plane.fixture.ts';
import { createControlPlane } from '../control-plane.fixture.ts';
import { CONFIG_MAPS, configMap, RawClient } from '../raw-client.fixture.ts';

describe('deletes', () => {
  let plane: ControlPlane;
  let client: RawClient;

  beforeAll(async () => {
    plane = await createControlPlane();
    client = new RawClient(plane.config);
  });
  afterAll(async () => {
    client[Symbol.dispose]();
    await plane.stop();
  });

  /** Reads a watch of ConfigMaps until `name` is deleted. The test's own deadline limits the wait. */
  async function untilDeleted(name: string, since: string): Promise<void> {
    const watch = await client.watch(
      `/api/v1/configmaps?watch=true&resourceVersion=${since}&fieldSelector=metadata.name%3D${name}`,
    );
    for (let event = await watch.next(); event?.type !== 'DELETED'; event = await watch.next());
    watch.close();
  }

  const ownedBy = (owner: { metadata: { name: string; uid: string } }, fields: object = {}): object => ({
    ownerReferences: [
      { apiVersion: 'v1', kind: 'ConfigMap', name: owner.metadata.name, uid: owner.metadata.uid, ...fields },
    ],
  });

  it('K-14: deletes an object without finalizers at once', async () => {
    const { body: created } = await client.post(CONFIG_MAPS, configMap('plain'));
    const { status, body } = await client.delete(`${CONFIG_MAPS}/plain`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      kind: 'Status',
      status: 'Success',
      details: { name: 'plain', kind: 'configmaps', uid: created.metadata.uid },
    });
    expect((await client.get(`${CONFIG_MAPS}/plain`)).status).toBe(404);
    expect((await client.delete(`${CONFIG_MAPS}/plain`)).status).toBe(404);
  });

  it('K-14: finalizers keep a terminating object until the last one is removed', async () => {
    const path = `${CONFIG_MAPS}/kept`;
    await client.post(CONFIG_MAPS, configMap('kept', {}, { finalizers: ['example.com/a', 'example.com/b'] }));
    const { status, body } = await client.delete(path);
    expect(status).toBe(200);
    expect(body.metadata.deletionTimestamp).toBeDefined();
    expect((await client.delete(path)).body.metadata).toEqual(body.metadata);
    const added = await client.patch(path, {
      metadata: { finalizers: ['example.com/a', 'example.com/b', 'example.com/c'] },
    });
    expect(added.status).toBe(422);
    expect(added.body.message).toContain('no new finalizers can be added if the object is being deleted');
    await client.patch(path, { metadata: { finalizers: ['example.com/b'] } });
    expect((await client.get(path)).body.metadata.finalizers).toEqual(['example.com/b']);
    expect((await client.patch(path, { metadata: { finalizers: null } })).status).toBe(200);
    expect((await client.get(path)).status).toBe(404);
  });

  it('K-14: failed preconditions on uid and version are 409', async () => {
    const { body } = await client.post(CONFIG_MAPS, configMap('conditional'));
    const { uid, resourceVersion } = body.metadata;
    const byUid = await client.delete(`${CONFIG_MAPS}/conditional`, { preconditions: { uid: 'other' } });
    expect(byUid.status).toBe(409);
    expect(byUid.body.message).toContain(
      `the UID in the precondition (other) does not match the UID in record (${uid})`,
    );
    expect(
      (await client.delete(`${CONFIG_MAPS}/conditional`, { preconditions: { resourceVersion: '1' } })).status,
    ).toBe(409);
    expect(
      (await client.delete(`${CONFIG_MAPS}/conditional`, { preconditions: { uid, resourceVersion } })).status,
    ).toBe(200);
  });

  it('K-14: Background deletes dependents after their owner', async () => {
    const { body: owner } = await client.post(CONFIG_MAPS, configMap('owner'));
    const { body: dependent } = await client.post(CONFIG_MAPS, configMap('dependent', {}, ownedBy(owner)));
    await client.delete(`${CONFIG_MAPS}/owner`);
    await untilDeleted('dependent', dependent.metadata.resourceVersion);
  });

  it('K-14: a dependent with another existing owner stays, without the reference to the deleted one', async () => {
    const { body: one } = await client.post(CONFIG_MAPS, configMap('one'));
    const { body: two } = await client.post(CONFIG_MAPS, configMap('two'));
    const references = [one, two].map(({ metadata }) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      name: metadata.name,
      uid: metadata.uid,
    }));
    const { body: shared } = await client.post(CONFIG_MAPS, configMap('shared', {}, { ownerReferences: references }));
    const watch = await client.watch(
      `${CONFIG_MAPS}?watch=true&resourceVersion=${shared.metadata.resourceVersion}&fieldSelector=metadata.name%3Dshared`,
    );
    await client.delete(`${CONFIG_MAPS}/one`);
    const event = await watch.next();
    expect(event).toMatchObject({ type: 'MODIFIED', object: { metadata: { ownerReferences: [{ name: 'two' }] } } });
    watch.close();
  });

  it('K-14: collects an object whose owner never existed', async () => {
    const ghost = { metadata: { name: 'ghost', uid: '00000000-0000-0000-0000-000000000000' } };
    const { body } = await client.post(CONFIG_MAPS, configMap('haunted', {}, ownedBy(ghost)));
    await untilDeleted('haunted', String(Number(body.metadata.resourceVersion) - 1));
  });

  it('K-14: Foreground deletes blocking dependents before their owner', async () => {
    const { body: owner } = await client.post(CONFIG_MAPS, configMap('front'));
    const blocking = { ...ownedBy(owner, { blockOwnerDeletion: true }), finalizers: ['example.com/hold'] };
    await client.post(CONFIG_MAPS, configMap('blocking', {}, blocking));
    const { body } = await client.delete(`${CONFIG_MAPS}/front`, { propagationPolicy: 'Foreground' });
    expect(body.metadata.finalizers).toEqual(['foregroundDeletion']);
    const watch = await client.watch(`${CONFIG_MAPS}?watch=true&resourceVersion=${body.metadata.resourceVersion}`);
    expect(await watch.next()).toMatchObject({ type: 'MODIFIED', object: { metadata: { name: 'blocking' } } });
    expect((await client.get(`${CONFIG_MAPS}/front`)).status).toBe(200);
    await client.patch(`${CONFIG_MAPS}/blocking`, { metadata: { finalizers: null } });
    const gone: string[] = [];
    while (gone.length < 2) {
      const event = await watch.next();
      if (event?.type === 'DELETED') gone.push(event.object.metadata.name);
    }
    expect(gone).toEqual(['blocking', 'front']);
    watch.close();
  });

  it('K-14: Orphan keeps dependents, without the reference', async () => {
    const { body: owner } = await client.post(CONFIG_MAPS, configMap('parent'));
    const { body: child } = await client.post(CONFIG_MAPS, configMap('child', {}, ownedBy(owner)));
    await client.delete(`${CONFIG_MAPS}/parent?propagationPolicy=Orphan`);
    await untilDeleted('parent', child.metadata.resourceVersion);
    expect((await client.get(`${CONFIG_MAPS}/child`)).body.metadata.ownerReferences).toBeUndefined();
  });

  it('K-14: a deletion replaces the finalizer of another policy', async () => {
    const own = 'example.com/own';
    const remove = async (name: string, finalizers: readonly string[], options?: object): Promise<unknown> => {
      await client.post(CONFIG_MAPS, configMap(name, {}, { finalizers }));
      const body = options && { apiVersion: 'v1', kind: 'DeleteOptions', ...options };
      const answer = await client.request('DELETE', `${CONFIG_MAPS}/${name}`, { body });
      return [answer.status, answer.body.kind, answer.body.metadata.finalizers];
    };
    const background = { propagationPolicy: 'Background' };
    expect(await remove('replaced-1', ['orphan', own], background)).toEqual([200, 'ConfigMap', [own]]);
    expect(await remove('replaced-2', ['orphan'], background)).toEqual([200, 'Status', undefined]);
    const foreground = { propagationPolicy: 'Foreground' };
    const waiting = [200, 'ConfigMap', [own, 'foregroundDeletion']];
    expect(await remove('replaced-3', ['orphan', own], foreground)).toEqual(waiting);
    expect(await remove('replaced-4', ['orphan', own])).toEqual([200, 'ConfigMap', ['orphan', own]]);
    // The old option also changes the code of the answer.
    expect(await remove('replaced-5', ['orphan', own], { orphanDependents: false })).toEqual([202, 'ConfigMap', [own]]);
    const dryRun = { ...background, dryRun: ['All'] };
    expect(await remove('replaced-6', ['orphan', own], dryRun)).toEqual([200, 'ConfigMap', [own]]);
    expect((await client.get(`${CONFIG_MAPS}/replaced-6`)).body.metadata.finalizers).toEqual(['orphan', own]);
  });

  it('K-14: Jobs and ReplicationControllers keep their dependents unless the request has another policy', async () => {
    const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'a', image: 'nginx' }] } };
    const once = { ...template, spec: { ...template.spec, restartPolicy: 'Never' } };
    for (const [path, object] of [
      ['/apis/batch/v1/namespaces/default/jobs', { apiVersion: 'batch/v1', kind: 'Job', spec: { template: once } }],
      [
        '/api/v1/namespaces/default/replicationcontrollers',
        { apiVersion: 'v1', kind: 'ReplicationController', spec: { template } },
      ],
    ] as const) {
      const { kind } = object;
      const { status, body: owner } = await client.post(path, { ...object, metadata: { name: 'keeper' } });
      expect(status).toBe(201);
      const name = `kept-by-${kind.toLowerCase()}`;
      await client.post(CONFIG_MAPS, configMap(name, {}, ownedBy(owner, { apiVersion: owner.apiVersion, kind })));
      const { body } = await client.delete(`${path}/keeper`);
      expect(body).toMatchObject({ kind, metadata: { name: 'keeper', finalizers: ['orphan'] } });
      const watch = await client.watch(`${path}?watch=true&resourceVersion=${body.metadata.resourceVersion}`);
      for (let event = await watch.next(); event?.type !== 'DELETED'; event = await watch.next());
      watch.close();
      expect((await client.get(`${CONFIG_MAPS}/${name}`)).body.metadata.ownerReferences).toBeUndefined();

      await client.post(path, { ...object, metadata: { name: 'keeper' } });
      const deleted = await client.delete(`${path}/keeper?propagationPolicy=Background`);
      expect(deleted.body).toMatchObject({ kind: 'Status', status: 'Success' });
    }
  });

  it('K-10, K-14: a terminating namespace refuses new objects, and is deleted once it is empty', async () => {
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'leaving' } };
    const { body: created } = await client.post('/api/v1/namespaces', namespace);
    const path = '/api/v1/namespaces/leaving/configmaps';
    await client.post(path, configMap('quick'));
    await client.post(path, configMap('held', {}, { finalizers: ['example.com/hold'] }));
    const watch = await client.watch(
      `/api/v1/namespaces?watch=true&fieldSelector=metadata.name%3Dleaving&resourceVersion=${created.metadata.resourceVersion}`,
    );
    const { body } = await client.delete('/api/v1/namespaces/leaving');
    expect(body.status).toEqual({ phase: 'Terminating' });
    const refused = await client.post(path, configMap('late'));
    expect(refused.status).toBe(403);
    expect(refused.body).toMatchObject({
      reason: 'Forbidden',
      message:
        'configmaps "late" is forbidden: unable to create new content in namespace leaving because it is being terminated',
      details: { causes: [{ reason: 'NamespaceTerminating' }] },
    });
    await client.patch(`${path}/held`, { metadata: { finalizers: null } });
    let event = await watch.next();
    while (event?.type !== 'DELETED') event = await watch.next();
    expect((await client.get(path)).body.items).toEqual([]);
    expect((await client.get('/api/v1/namespaces/leaving')).status).toBe(404);
    watch.close();
  });

  it('K-14: deletecollection deletes the selected objects', async () => {
    for (const name of ['x', 'y', 'z']) {
      await client.post(CONFIG_MAPS, configMap(`set-${name}`, {}, { labels: { set: name === 'z' ? 'no' : 'yes' } }));
    }
    const { body } = await client.delete(`${CONFIG_MAPS}?labelSelector=set%3Dyes`);
    expect(body.items).toHaveLength(2);
    const left = await client.get(`${CONFIG_MAPS}?labelSelector=set`);
    expect(left.body.items.map(({ metadata }) => metadata.name)).toEqual(['set-z']);
  });

  it('K-15: dryRun deletes nothing', async () => {
    await client.post(CONFIG_MAPS, configMap('spared'));
    expect((await client.delete(`${CONFIG_MAPS}/spared?dryRun=All`)).status).toBe(200);
    expect((await client.get(`${CONFIG_MAPS}/spared`)).status).toBe(200);
  });
});
