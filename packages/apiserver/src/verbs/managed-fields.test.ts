import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ControlPlane } from '../control-plane.fixture.ts';
import { createControlPlane } from '../control-plane.fixture.ts';
import type { Body } from '../raw-client.fixture.ts';
import { CONFIG_MAPS, configMap, RawClient } from '../raw-client.fixture.ts';

const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';

const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'd' },
  spec: {
    replicas: 2,
    selector: { matchLabels: { a: 'b' } },
    template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'x' }] } },
  },
};

const scale = (replicas: number): object => ({
  apiVersion: 'autoscaling/v1',
  kind: 'Scale',
  metadata: { name: 'd' },
  spec: { replicas },
});

const replicas = { 'f:spec': { 'f:replicas': {} } };

describe('managed fields', () => {
  let controlPlane: ControlPlane;
  let client: RawClient;

  beforeAll(async () => {
    controlPlane = await createControlPlane();
    client = new RawClient(controlPlane.config);
  });

  afterAll(async () => {
    client[Symbol.dispose]();
    await controlPlane.stop();
  });

  const managers = ({ metadata }: Body): string[] => metadata.managedFields.map(({ manager }) => manager);

  it('K-25: merges the oldest of more than 10 managers that update an object', async () => {
    await client.post(`${CONFIG_MAPS}?fieldManager=u10`, configMap('cap', { k10: 'v' }));
    for (let index = 11; index < 21; index++) {
      await client.patch(`${CONFIG_MAPS}/cap?fieldManager=u${index}`, { data: { [`k${index}`]: 'v' } });
    }
    const { body } = await client.get(`${CONFIG_MAPS}/cap`);
    expect(managers(body).sort()).toEqual([
      'ancient-changes',
      ...['u12', 'u13', 'u14', 'u15', 'u16', 'u17', 'u18', 'u19', 'u20'],
    ]);
    const ancient = body.metadata.managedFields.find(({ manager }) => manager === 'ancient-changes');
    expect(ancient?.fieldsV1).toEqual({ 'f:data': { '.': {}, 'f:k10': {}, 'f:k11': {} } });
  });

  it('K-25: an apply that changes nothing keeps the version, and a new manager then has no time', async () => {
    const path = `${CONFIG_MAPS}/same`;
    const first = await client.apply(path, configMap('same', { a: '1' }), 'one');
    const again = await client.apply(path, configMap('same', { a: '1' }), 'one');
    expect(again.body).toEqual(first.body);
    const shared = await client.apply(path, configMap('same', { a: '1' }), 'two');
    expect(shared.body.metadata.managedFields).toEqual([
      {
        manager: 'two',
        operation: 'Apply',
        apiVersion: 'v1',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:data': { 'f:a': {} } },
      },
      expect.objectContaining({ manager: 'one', time: expect.any(String) as unknown }),
    ]);
  });

  it('K-25: kubectl takes over what it applied on the client side before, and keeps its annotation', async () => {
    const annotation = 'kubectl.kubernetes.io/last-applied-configuration';
    const before = JSON.stringify(configMap('kubectl', { a: '1', b: '2' }));
    const object = configMap('kubectl', { a: '1', b: '2' }, { annotations: { [annotation]: before } });
    await client.post(`${CONFIG_MAPS}?fieldManager=kubectl-client-side-apply`, object);
    const path = `${CONFIG_MAPS}/kubectl`;
    const other = await client.apply(path, configMap('kubectl', { a: '3' }), 'other');
    expect(other.status).toBe(409);
    const { status, body } = await client.apply(path, configMap('kubectl', { a: '3' }), 'kubectl');
    expect(status).toBe(200);
    expect(body.metadata.annotations[annotation]).toBe(
      '{"apiVersion":"v1","data":{"a":"3"},"kind":"ConfigMap","metadata":{"name":"kubectl"}}\n',
    );
  });

  it('K-25: the scale has the owners of the replicas, and a new owner has no time', async () => {
    await client.post(`${DEPLOYMENTS}?fieldManager=creator`, deployment);
    const path = `${DEPLOYMENTS}/d/scale`;
    const refused = await client.apply(path, scale(3), 'scaler');
    expect(refused.body.message).toBe(
      'Apply failed with 1 conflict: conflict with "creator" using autoscaling/v1: .spec.replicas',
    );
    await client.apply(path, scale(3), 'scaler', '&force=true');
    const { body } = await client.get(`${DEPLOYMENTS}/d`);
    expect(body.metadata.managedFields[0]).toEqual({
      manager: 'scaler',
      operation: 'Apply',
      apiVersion: 'apps/v1',
      fieldsType: 'FieldsV1',
      fieldsV1: replicas,
      subresource: 'scale',
    });
    expect(JSON.stringify(body.metadata.managedFields[1]?.fieldsV1)).not.toContain('f:replicas');
    // Without an owner, an update of the scale gets none.
    await client.apply(path, { ...scale(3), spec: undefined }, 'scaler');
    await client.put(`${path}?fieldManager=updater`, scale(4));
    expect(managers((await client.get(`${DEPLOYMENTS}/d`)).body)).toEqual(['creator']);
  });

  it('K-25: an apply of an unknown field of the scale, or of another kind, is refused', async () => {
    const path = `${DEPLOYMENTS}/d/scale`;
    const unknown = await client.apply(path, { ...scale(1), spec: { foo: 1 } }, 'scaler', '&force=true');
    expect([unknown.status, unknown.body.message]).toEqual([
      500,
      'failed to create typed patch object (/d; autoscaling/v1, Kind=Scale): .spec.foo: field not declared in schema',
    ]);
    const wrong = await client.apply(path, deployment, 'scaler');
    expect([wrong.status, wrong.body.message]).toEqual([400, 'invalid object type: apps/v1, Kind=Deployment']);
  });

  it('K-25: an apply of the status owns fields of the status only', async () => {
    const status = { ...deployment, spec: { replicas: 9 }, status: { replicas: 1 } };
    const { body } = await client.apply(`${DEPLOYMENTS}/d/status`, status, 'prober');
    const entry = body.metadata.managedFields.find(({ manager }) => manager === 'prober');
    expect(entry).toMatchObject({ subresource: 'status', fieldsV1: { 'f:status': { 'f:replicas': {} } } });
  });
});
