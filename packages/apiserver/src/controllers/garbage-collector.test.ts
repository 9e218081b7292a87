import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ControlPlane } from '../control-plane.fixture.ts';
import { createControlPlane } from '../control-plane.fixture.ts';
import type { Body } from '../raw-client.fixture.ts';
import { CONFIG_MAPS, configMap, RawClient } from '../raw-client.fixture.ts';

const ABSENT = '00000000-0000-0000-0000-000000000000';
const NODES = '/api/v1/nodes';
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

describe('the garbage collector', () => {
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

  const referenceTo = ({ kind, apiVersion, metadata }: Body, fields: object = {}): object => ({
    ...{ apiVersion, kind, name: metadata.name, uid: metadata.uid },
    ...fields,
  });

  const create = async (name: string, references: readonly object[] = []): Promise<Body> =>
    (await client.post(CONFIG_MAPS, configMap(name, {}, { ownerReferences: references }))).body;

  const statusOf = async (name: string): Promise<number> => (await client.get(`${CONFIG_MAPS}/${name}`)).status;

  /** Reads a watch until ConfigMaps are deleted. The test's own deadline limits the wait. */
  async function untilDeleted(since: Body, ...names: string[]): Promise<void> {
    const watch = await client.watch(`${CONFIG_MAPS}?watch=true&resourceVersion=${since.metadata.resourceVersion}`);
    const left = new Set(names);
    while (left.size > 0) {
      const event = await watch.next();
      if (event?.type === 'DELETED') left.delete(event.object.metadata.name);
    }
    watch.close();
  }

  /** Waits until the collector has examined all objects that were written before: it works in the order of writes. */
  async function settled(name: string): Promise<void> {
    const since = await create(`${name}-before`);
    await create(name, [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'absent', uid: ABSENT }]);
    await untilDeleted(since, name);
  }

  it('K-14: keeps cluster-scoped objects that refer to a namespaced owner', async () => {
    const owner = await create('of-node');
    const references = [referenceTo(owner), { apiVersion: 'v1', kind: 'ConfigMap', name: 'absent', uid: ABSENT }];
    for (const [index, reference] of references.entries()) {
      const metadata = { name: `owned-${index}`, ownerReferences: [reference] };
      await client.post(NODES, { apiVersion: 'v1', kind: 'Node', metadata });
    }
    await settled('after-nodes');
    expect((await client.get(`${NODES}/owned-0`)).status).toBe(200);
    expect((await client.get(`${NODES}/owned-1`)).status).toBe(200);
  });

  it('K-14: keeps objects while the kind of an owner is not served', async () => {
    const kinds = [
      { apiVersion: 'collected.example.com/v1', kind: 'Foo' },
      { apiVersion: 'apps/v9', kind: 'Deployment' },
      { apiVersion: 'v1', kind: 'Foo' },
    ];
    for (const [index, kind] of kinds.entries()) {
      await create(`unserved-${index}`, [{ ...kind, name: 'absent', uid: ABSENT }]);
    }
    await settled('after-unserved');
    for (const index of kinds.keys()) expect(await statusOf(`unserved-${index}`)).toBe(200);

    // Once the kind is served, the owner is known not to exist.
    const since = await create('before-definition');
    const schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    await client.post(DEFINITIONS, {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'foos.collected.example.com' },
      spec: {
        group: 'collected.example.com',
        names: { plural: 'foos', kind: 'Foo' },
        scope: 'Namespaced',
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
      },
    });
    await untilDeleted(since, 'unserved-0');
    expect(await statusOf('unserved-1')).toBe(200);
  });

  it('K-14: looks owners up by kind and name, and then compares the uid', async () => {
    const owner = await create('exact');
    const other = await create('other');
    const wrong = [{ name: 'typo' }, { kind: 'Secret' }, { uid: other.metadata.uid }];
    for (const [index, fields] of wrong.entries()) await create(`inexact-${index}`, [referenceTo(owner, fields)]);
    await untilDeleted(other, 'inexact-0', 'inexact-1', 'inexact-2');

    await create('partly', [referenceTo(owner), referenceTo(other, { name: 'typo' })]);
    await settled('after-partly');
    const { body } = await client.get(`${CONFIG_MAPS}/partly`);
    expect(body.metadata.ownerReferences).toEqual([referenceTo(owner)]);
  });

  it('K-14: completes the foreground deletion of objects that own each other', async () => {
    const one = await create('one');
    const two = await create('two', [referenceTo(one, { blockOwnerDeletion: true })]);
    const ownerReferences = [referenceTo(two, { blockOwnerDeletion: true })];
    await client.patch(`${CONFIG_MAPS}/one`, { metadata: { ownerReferences } });
    await client.delete(`${CONFIG_MAPS}/one?propagationPolicy=Foreground`);
    await untilDeleted(two, 'one', 'two');
  });
});
