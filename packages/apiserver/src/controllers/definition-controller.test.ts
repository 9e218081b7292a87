import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ControlPlane } from '../control-plane.fixture.ts';
import { createControlPlane } from '../control-plane.fixture.ts';
import { RawClient } from '../raw-client.fixture.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const WIDGETS = '/apis/ending.example.com/v1/widgets';
const PATH = `${DEFINITIONS}/widgets.ending.example.com`;

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.ending.example.com', finalizers: ['example.com/hold'] },
  spec: {
    group: 'ending.example.com',
    names: { plural: 'widgets', kind: 'Widget' },
    scope: 'Cluster',
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
};

const widget = (name: string): object => ({
  apiVersion: 'ending.example.com/v1',
  kind: 'Widget',
  metadata: { name, finalizers: ['example.com/hold'] },
});

describe('a deleted CustomResourceDefinition', () => {
  let plane: ControlPlane;
  let client: RawClient;

  beforeAll(async () => {
    plane = await createControlPlane({ controllers: false });
    client = new RawClient(plane.config);
  });
  afterAll(async () => {
    client[Symbol.dispose]();
    await plane.stop();
  });

  /** Reads a watch of the definition until its condition has a reason. */
  async function until(reason: string): Promise<object> {
    const watch = await client.watch(`${DEFINITIONS}?watch=true`);
    for (;;) {
      const event = await watch.next();
      const { conditions = [] } = (event?.object['status'] ?? {}) as {
        conditions?: { type: string; reason: string }[];
      };
      const found = conditions.find(({ type }) => type === 'Terminating');
      if (found?.reason !== reason) continue;
      watch.close();
      return found;
    }
  }

  it('K-19: refuses new objects while its objects are deleted, as kube-apiserver does', async () => {
    await client.post(DEFINITIONS, definition);
    await client.post(WIDGETS, widget('a'));
    const { body } = await client.delete(PATH);
    expect(body.metadata).toMatchObject({
      generation: 1,
      finalizers: ['example.com/hold', 'customresourcecleanup.apiextensions.k8s.io'],
    });
    expect(body.metadata).not.toHaveProperty('deletionGracePeriodSeconds');
    expect(await until('InstanceDeletionInProgress')).toMatchObject({
      status: 'True',
      message: 'CustomResource deletion is in progress',
    });
    const message =
      'widgets.ending.example.com "b" is forbidden: create not allowed while custom resource definition is terminating';
    expect(await client.post(WIDGETS, widget('b'))).toMatchObject({
      status: 403,
      body: { reason: 'Forbidden', message },
    });
    expect(await client.apply(`${WIDGETS}/b`, widget('b'), 'm')).toMatchObject({ status: 403, body: { message } });

    const open = { metadata: { finalizers: null } };
    expect((await client.patch(`${WIDGETS}/a`, open)).status).toBe(200);
    expect(await until('InstanceDeletionCompleted')).toMatchObject({
      status: 'False',
      message: 'removed all instances',
    });
    await client.patch(PATH, open);
    expect((await client.get(PATH)).status).toBe(404);
  });
});
