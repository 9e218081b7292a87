import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ControlPlane } from '../control-plane.fixture.ts';
import { createControlPlane } from '../control-plane.fixture.ts';
import { CONFIG_MAPS, configMap, RawClient } from '../raw-client.fixture.ts';
import type { Body } from '../raw-client.fixture.ts';

const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const GRIDS = '/apis/example.com/v1/namespaces/default/grids';

const grids = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'grids.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'grids', kind: 'Grid' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  cells: {
                    type: 'array',
                    'x-kubernetes-list-type': 'map',
                    'x-kubernetes-list-map-keys': ['x', 'y'],
                    items: {
                      type: 'object',
                      required: ['x'],
                      properties: {
                        x: { type: 'integer' },
                        y: { type: 'integer', default: 0 },
                        color: { type: 'string' },
                      },
                    },
                  },
                  tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
                  plain: { type: 'array', items: { type: 'string' } },
                  whole: {
                    type: 'object',
                    'x-kubernetes-map-type': 'atomic',
                    additionalProperties: { type: 'string' },
                  },
                },
              },
            },
          },
        },
      },
    ],
  },
};

describe('server-side apply', () => {
  let plane: ControlPlane;
  let client: RawClient;

  beforeAll(async () => {
    plane = await createControlPlane({ crds: [grids] });
    client = new RawClient(plane.config);
  });
  afterAll(async () => {
    client[Symbol.dispose]();
    await plane.stop();
  });

  const managers = ({ metadata }: Body): string[] =>
    metadata.managedFields.map(({ manager, operation, subresource }) =>
      [manager, operation, ...(subresource === undefined ? [] : [subresource])].join(' '),
    );

  it('K-13: creates a missing object and records the owners of its fields', async () => {
    const { status, body } = await client.apply(
      `${CONFIG_MAPS}/new`,
      configMap('new', { x: '1' }, { labels: { app: 'a' } }),
      'one',
    );
    expect(status).toBe(201);
    expect(body.data).toEqual({ x: '1' });
    expect(body.metadata.managedFields).toEqual([
      {
        manager: 'one',
        operation: 'Apply',
        apiVersion: 'v1',
        time: expect.stringMatching(/Z$/),
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:data': { 'f:x': {} }, 'f:metadata': { 'f:labels': { 'f:app': {} } } },
      },
    ]);
  });

  it('K-13: accepts YAML, and changes the status of an object only through its subresource', async () => {
    const yaml = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: yaml\ndata:\n  x: "1"\n  z: null\n';
    expect((await client.apply(`${CONFIG_MAPS}/yaml`, yaml, 'one')).body.data).toEqual({ x: '1', z: '' });
    await client.post(DEPLOYMENTS, deployment('parts', [{ name: 'main', image: 'one' }]));
    const part = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'parts' }, status: { replicas: 3 } };
    const ignored = await client.apply(`${DEPLOYMENTS}/parts`, part, 'one');
    expect(ignored.body.status).toEqual({});
    const { body } = await client.apply(`${DEPLOYMENTS}/parts/status`, { ...part, spec: { replicas: 7 } }, 'one');
    expect(body).toMatchObject({ status: { replicas: 3 }, spec: { replicas: 1 }, metadata: { generation: 1 } });
    expect(managers(body)).toContain('one Apply status');
    const gone = await client.apply(`${DEPLOYMENTS}/missing/status`, { ...part, metadata: { name: 'missing' } }, 'one');
    expect(gone.status).toBe(404);
  });

  it('K-13: applying the same configuration again writes nothing', async () => {
    const path = `${CONFIG_MAPS}/again`;
    const { body: first } = await client.apply(path, configMap('again', { x: '1' }), 'one');
    const { status, body: second } = await client.apply(path, configMap('again', { x: '1' }), 'one');
    expect(status).toBe(200);
    expect(second).toEqual(first);
  });

  it('K-13: removes a field that its manager no longer sends, unless another manager also owns it', async () => {
    const path = `${CONFIG_MAPS}/shrinking`;
    await client.apply(path, configMap('shrinking', { a: '1', b: '2', c: '3' }), 'one');
    await client.apply(path, configMap('shrinking', { b: '2' }), 'two');
    await client.patch(`${path}?fieldManager=three`, { data: { d: '4' } });
    const { body } = await client.apply(path, configMap('shrinking', { c: '3' }), 'one');
    expect(body.data).toEqual({ b: '2', c: '3', d: '4' });
    const { body: last } = await client.apply(path, { ...configMap('shrinking'), data: undefined }, 'one');
    expect(last.data).toEqual({ b: '2', d: '4' });
    expect(managers(last)).toEqual(['two Apply', 'three Update']);
  });

  it('K-13: changing a field of another manager is 409 with the message of a real server, and succeeds with force', async () => {
    const path = `${CONFIG_MAPS}/contested`;
    await client.request('POST', `${CONFIG_MAPS}?fieldManager=creator`, {
      body: configMap('contested', { x: '1' }),
      headers: { 'content-type': 'application/json' },
    });
    const { status, body } = await client.apply(path, configMap('contested', { x: '2' }), 'one');
    expect(status).toBe(409);
    expect(body).toMatchObject({
      reason: 'Conflict',
      message: 'Apply failed with 1 conflict: conflict with "creator" using v1: .data.x',
      details: {
        causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "creator" using v1', field: '.data.x' }],
      },
    });
    const forced = await client.apply(path, configMap('contested', { x: '2' }), 'one', '&force=true');
    expect(forced.body.data).toEqual({ x: '2' });
    const between = await client.apply(path, configMap('contested', { x: '3' }), 'two');
    expect(between.body.message).toBe('Apply failed with 1 conflict: conflict with "one": .data.x');
    const several = await client.apply(
      path,
      configMap('contested', { x: '3' }, { labels: { a: 'b' } }),
      'two',
      '&force=true',
    );
    expect(managers(several.body)).toEqual(['two Apply', 'creator Update']);
  });

  it('K-13: reports all conflicts', async () => {
    const path = `${CONFIG_MAPS}/several`;
    await client.apply(path, configMap('several', { x: '1', y: '1' }), 'one');
    await client.apply(path, configMap('several', { z: '1' }), 'other');
    const { body } = await client.apply(path, configMap('several', { x: '2', y: '2', z: '2' }), 'two');
    expect(body.message).toBe(
      'Apply failed with 3 conflicts: conflicts with "one":\n- .data.x\n- .data.y\nconflicts with "other":\n- .data.z',
    );
    expect(body.details.causes.map(({ field }) => field)).toEqual(['.data.x', '.data.y', '.data.z']);
  });

  it('K-13: managers that apply the same value share it without a conflict', async () => {
    const path = `${CONFIG_MAPS}/shared`;
    await client.apply(path, configMap('shared', { x: '1' }), 'one');
    const { status, body } = await client.apply(path, configMap('shared', { x: '1' }), 'two');
    // An apply that changes nothing has no time, so its manager is first.
    expect([status, managers(body)]).toEqual([200, ['two Apply', 'one Apply']]);
    const left = await client.apply(path, { ...configMap('shared'), data: undefined }, 'one');
    expect(left.body.data).toEqual({ x: '1' });
  });

  const deployment = (name: string, containers: readonly object[]): object => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: {
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: { containers } },
    },
  });

  it('K-13: lists merge by their keys: containers and env by name, ports by port and protocol', async () => {
    const path = `${DEPLOYMENTS}/merged`;
    const containers = [
      { name: 'main', image: 'one', ports: [{ containerPort: 80 }], env: [{ name: 'A', value: '1' }], args: ['x'] },
    ];
    await client.apply(path, deployment('merged', containers), 'one');
    const additions = [
      {
        name: 'main',
        ports: [
          { containerPort: 80, protocol: 'UDP' },
          { containerPort: 80, protocol: 'TCP', name: 'web' },
        ],
        env: [{ name: 'B', value: '2' }],
      },
      { name: 'side', image: 'two' },
    ];
    const { body } = await client.apply(path, deployment('merged', additions), 'two');
    expect(body.spec).toMatchObject({
      template: {
        spec: {
          containers: [
            {
              name: 'main',
              image: 'one',
              ports: [
                { containerPort: 80, protocol: 'UDP' },
                { containerPort: 80, protocol: 'TCP', name: 'web' },
              ],
              env: [
                { name: 'A', value: '1' },
                { name: 'B', value: '2' },
              ],
              args: ['x'],
            },
            { name: 'side', image: 'two' },
          ],
        },
      },
    });
    const conflict = await client.apply(
      path,
      deployment('merged', [{ name: 'main', image: 'three', args: ['y'] }]),
      'two',
    );
    expect(conflict.body.details.causes.map(({ field }) => field)).toEqual([
      '.spec.template.spec.containers[name="main"].args',
      '.spec.template.spec.containers[name="main"].image',
    ]);
    const { body: without } = await client.apply(path, deployment('merged', []), 'two');
    expect(without.spec).toMatchObject({ template: { spec: { containers } } });
  });

  it('K-13: finalizers are a set, owners are identified by uid, tolerations are atomic', async () => {
    const owner = (uid: string): object => ({ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid });
    const meta = (finalizer: string, uid: string): object => ({
      finalizers: [`example.com/${finalizer}`],
      ownerReferences: [owner(uid)],
    });
    const path = '/api/v1/namespaces/default/pods/listed';
    const pod = (metadata: object, key: string): object => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'listed', ...metadata },
      // These tolerations leave nothing for the server to add.
      spec: {
        containers: [{ name: 'main', image: 'one' }],
        tolerations: [
          { key, operator: 'Exists' },
          { operator: 'Exists', effect: 'NoExecute' },
        ],
      },
    });
    await client.apply(path, pod(meta('a', 'u1'), 'k'), 'one', '&dryRun=All');
    await client.post(CONFIG_MAPS, configMap('owner'));
    const { body: real } = await client.get(`${CONFIG_MAPS}/owner`);
    await client.apply(path, pod(meta('a', real.metadata.uid), 'k'), 'one');
    const { body } = await client.apply(path, pod(meta('b', real.metadata.uid), 'k'), 'two');
    expect(body.metadata.finalizers).toEqual(['example.com/a', 'example.com/b']);
    expect(body.metadata.ownerReferences).toHaveLength(1);
    const { body: refused } = await client.apply(path, pod(meta('b', real.metadata.uid), 'l'), 'two');
    expect(refused.message).toContain('.spec.tolerations');
  });

  it('K-13: a definition declares how the lists and maps of its kind merge', async () => {
    const grid = (spec: object): object => ({
      apiVersion: 'example.com/v1',
      kind: 'Grid',
      metadata: { name: 'g' },
      spec,
    });
    const path = `${GRIDS}/g`;
    await client.apply(
      path,
      grid({ cells: [{ x: 1, y: 0, color: 'red' }], tags: ['a'], plain: ['a'], whole: { a: '1' } }),
      'one',
    );
    const { body } = await client.apply(
      path,
      grid({
        cells: [
          { x: 1, color: 'red' },
          { x: 2, y: 1 },
        ],
        tags: ['b'],
      }),
      'two',
    );
    expect(body.spec).toEqual({
      cells: [
        { x: 1, y: 0, color: 'red' },
        { x: 2, y: 1 },
      ],
      tags: ['a', 'b'],
      plain: ['a'],
      whole: { a: '1' },
    });
    const refused = await client.apply(path, grid({ plain: ['b'], whole: { b: '1' } }), 'two');
    expect(refused.body.details.causes.map(({ field }) => field)).toEqual(['.spec.plain', '.spec.whole']);
    expect((await client.apply(path, grid({ tags: ['b'] }), 'two')).body.spec).toHaveProperty('cells', [
      { x: 1, y: 0, color: 'red' },
    ]);
  });

  it('K-13: refuses managedFields, another name, and a stale version', async () => {
    const path = `${CONFIG_MAPS}/refused`;
    const managed = await client.apply(path, configMap('refused', {}, { managedFields: [{ manager: 'x' }] }), 'one');
    expect([managed.status, managed.body.message]).toEqual([400, 'metadata.managedFields must be nil']);
    expect((await client.apply(path, configMap('other'), 'one')).status).toBe(400);
    const { body } = await client.apply(path, configMap('refused', { x: '1' }), 'one');
    await client.patch(path, { data: { y: '1' } });
    const { resourceVersion } = body.metadata;
    const stale = await client.apply(path, configMap('refused', { x: '2' }, { resourceVersion }), 'one');
    expect([stale.status, stale.body.reason]).toEqual([409, 'Conflict']);
  });

  it('K-13: an update takes ownership of the fields that it changes, and ends that of fields that it removes', async () => {
    const path = `${CONFIG_MAPS}/updated`;
    await client.apply(path, configMap('updated', { a: '1', b: '1' }), 'one');
    await client.put(`${path}?fieldManager=two`, configMap('updated', { a: '2' }));
    const { body } = await client.get(path);
    expect(body.metadata.managedFields).toEqual([
      expect.objectContaining({ manager: 'two', operation: 'Update', fieldsV1: { 'f:data': { 'f:a': {} } } }),
    ]);
    const reset = await client.put(path, configMap('updated', { a: '2' }, { managedFields: [{}] }));
    expect(reset.body.metadata.managedFields).toBeUndefined();
  });
});
