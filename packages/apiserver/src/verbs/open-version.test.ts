import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ControlPlane } from '../control-plane.fixture.ts';
import { createControlPlane } from '../control-plane.fixture.ts';
import { RawClient } from '../raw-client.fixture.ts';

const GEARS = '/apis/example.com/v1/namespaces/default/gears';
const OPEN_GEARS = '/apis/example.com/v1beta1/namespaces/default/gears';

const STRICT = {
  type: 'object',
  properties: {
    spec: { type: 'object', properties: { replicas: { type: 'integer' }, color: { type: 'string', default: 'red' } } },
    status: { type: 'object', properties: { replicas: { type: 'integer' }, phase: { type: 'string' } } },
  },
};
const OPEN = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'gears.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'gears', kind: 'Gear' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
        },
        schema: { openAPIV3Schema: STRICT },
      },
      { name: 'v1beta1', served: true, storage: false, schema: { openAPIV3Schema: OPEN } },
    ],
  },
};

// The expected answers are those of kube-apiserver v1.35.
describe('custom objects that a version without a schema wrote', () => {
  let controlPlane: ControlPlane;
  let client: RawClient;

  beforeAll(async () => {
    controlPlane = await createControlPlane({ crds: [definition] });
    client = new RawClient(controlPlane.config);
  });

  afterAll(async () => {
    client[Symbol.dispose]();
    await controlPlane.stop();
  });

  async function create(name: string, spec: unknown, metadata: object = {}): Promise<void> {
    const gear = { apiVersion: 'example.com/v1beta1', kind: 'Gear', metadata: { name, ...metadata }, spec };
    expect((await client.post(OPEN_GEARS, gear)).status).toBe(201);
  }

  it('K-14: a deletion of a terminating object stores it again if it lacks defaults', async () => {
    await create('held', {}, { finalizers: ['example.com/hold'] });
    await client.delete(`${GEARS}/held`);
    const { body: written } = await client.patch(`${OPEN_GEARS}/held`, { spec: { color: null } });
    const { body: stored } = await client.delete(`${GEARS}/held`);
    expect(stored.spec).toEqual({ color: 'red' });
    expect(stored.metadata.resourceVersion).not.toBe(written.metadata.resourceVersion);
    const { body: same } = await client.delete(`${GEARS}/held`);
    expect(same.metadata.resourceVersion).toBe(stored.metadata.resourceVersion);
  });

  it('K-19: an update judges the replicas of the scale even if they do not change; a write of the status does not', async () => {
    await create('text', { replicas: 'x' });
    const labels = await client.patch(`${GEARS}/text`, { metadata: { labels: { a: 'b' } } });
    expect([labels.status, labels.body.message]).toEqual([
      422,
      'Gear.example.com "text" is invalid: .spec.replicas: Invalid value: 0: .spec.replicas accessor error: x is of the type string, expected int64',
    ]);
    expect((await client.patch(`${GEARS}/text/status`, { status: { phase: 'Ready' } })).status).toBe(200);
  });

  it.each([
    ['replicas', { replicas: 'x' }, '.spec.replicas accessor error: x is of the type string, expected int64'],
    ['spec', true, '.spec.replicas accessor error: true is of the type bool, expected map[string]interface{}'],
  ])('K-19: a scale whose %s has a wrong type cannot be read or written', async (name, spec, message) => {
    await create(`scaled-${name}`, spec);
    const path = `${GEARS}/scaled-${name}/scale`;
    for (const answer of [await client.get(path), await client.patch(path, { spec: { replicas: 2 } })]) {
      expect([answer.status, answer.body.reason, answer.body.message]).toEqual([500, undefined, message]);
    }
  });

  it('K-25: an apply names the missing manager if an object without managers does not match its types', async () => {
    await create('unowned', { replicas: 'x' });
    await client.patch(`${OPEN_GEARS}/unowned`, { metadata: { managedFields: [{}] } });
    const { status, body } = await client.apply(
      `${GEARS}/unowned`,
      { apiVersion: 'example.com/v1', kind: 'Gear', metadata: { name: 'unowned' } },
      'one',
    );
    expect([status, body.message]).toEqual([
      500,
      'failed to create manager for existing fields: failed to convert new object (default/unowned; example.com/v1, Kind=Gear) to smd typed: .spec.replicas: expected numeric (int or float), got string',
    ]);
  });
});
