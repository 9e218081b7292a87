import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ControlPlane } from '../control-plane.fixture.ts';
import { createControlPlane } from '../control-plane.fixture.ts';
import { RawClient } from '../raw-client.fixture.ts';

const AUTOSCALERS = '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers';
const GEARS = '/apis/example.com/v1/namespaces/default/gears';

const OPEN = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const spec = {
  type: 'object',
  properties: { size: { type: 'integer' }, color: { type: 'string', default: 'red' } },
};
const STRICT = { type: 'object', properties: { spec } };

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'gears.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'gears', kind: 'Gear' },
    versions: [
      { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: STRICT } },
      { name: 'v1beta1', served: true, storage: false, schema: { openAPIV3Schema: OPEN } },
    ],
  },
};

const QUANTITY =
  "unable to convert unstructured object to autoscaling/v2, Kind=HorizontalPodAutoscaler: quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

function autoscaler(version: 'v1' | 'v2', spec: object): object {
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
  return {
    apiVersion: `autoscaling/${version}`,
    kind: 'HorizontalPodAutoscaler',
    spec: { maxReplicas: 3, scaleTargetRef, ...spec },
  };
}

function withMetric(averageValue: string): object {
  return {
    metrics: [{ type: 'Pods', pods: { metric: { name: 'rate' }, target: { type: 'AverageValue', averageValue } } }],
  };
}

// The expected answers are those of kube-apiserver v1.35.
describe('applies by managers in several versions', () => {
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

  /** Applies a spec, and returns the status of the answer and its message. */
  async function apply(path: string, body: object, manager: string): Promise<unknown[]> {
    const named = { ...body, metadata: { name: path.slice(path.lastIndexOf('/') + 1) } };
    const { status, body: answer } = await client.apply(path, named, manager);
    return status < 300 ? [status] : [status, answer.message];
  }

  it('K-25: a value that cannot be decoded is refused before a conflict with a manager in another version', async () => {
    const v1 = `${AUTOSCALERS.replace('/v2/', '/v1/')}/new`;
    expect(await apply(v1, autoscaler('v1', {}), 'two')).toEqual([201]);
    const body = autoscaler('v2', { ...withMetric('*'), maxReplicas: 4 });
    expect(await apply(`${AUTOSCALERS}/new`, body, 'one')).toEqual([500, `failed to convert new object: ${QUANTITY}`]);
  });

  it('K-25: a value that cannot be decoded is refused when owned fields of another version are added back', async () => {
    const path = `${AUTOSCALERS}/pruned`;
    expect(await apply(path.replace('/v2/', '/v1/'), autoscaler('v1', {}), 'two')).toEqual([201]);
    expect(await apply(path, autoscaler('v2', withMetric('5')), 'one')).toEqual([200]);
    expect(await apply(path, autoscaler('v2', withMetric('*')), 'one')).toEqual([
      500,
      `failed to prune fields: failed add back owned items: failed to convert merged object at version autoscaling/v1: ${QUANTITY}`,
    ]);
  });

  it('K-25: a fraction in an integer is refused when a manager changes its version', async () => {
    const path = `${AUTOSCALERS}/fraction`;
    expect(await apply(path.replace('/v2/', '/v1/'), autoscaler('v1', {}), 'one')).toEqual([201]);
    expect(await apply(path, autoscaler('v2', { minReplicas: 1.5 }), 'one')).toEqual([
      500,
      'failed to prune fields: failed to convert merged object to last applied version: unable to convert unstructured object to autoscaling/v2, Kind=HorizontalPodAutoscaler: cannot convert float64 to int32',
    ]);
  });

  it('K-25: an integer beyond 32 bits is converted to the version of another manager before conflicts are reported', async () => {
    const path = `${AUTOSCALERS}/wrapped`;
    expect(await apply(path, autoscaler('v2', {}), 'three')).toEqual([201]);
    const v1 = path.replace('/v2/', '/v1/');
    expect(await apply(v1, autoscaler('v1', { maxReplicas: 2 ** 31 }), 'two')).toEqual([
      409,
      expect.stringContaining('.spec.maxReplicas'),
    ]);
  });

  it('K-25: fields that Go always writes are compared in the version of another manager', async () => {
    const path = `${AUTOSCALERS}/reference`;
    expect(await apply(path, autoscaler('v2', {}), 'three')).toEqual([201]);
    const v1 = path.replace('/v2/', '/v1/');
    expect(await apply(v1, autoscaler('v1', { scaleTargetRef: null }), 'two')).toEqual([
      409,
      'Apply failed with 2 conflicts: conflicts with "three":\n- .spec.scaleTargetRef.kind\n- .spec.scaleTargetRef.name',
    ]);
  });

  it('K-25: a time that cannot be decoded is refused when a manager changes its version', async () => {
    const path = `${AUTOSCALERS}/time`;
    expect(await apply(path, autoscaler('v2', {}), 'one')).toEqual([201]);
    const body = { ...autoscaler('v1', {}), metadata: { name: 'time', creationTimestamp: 'yesterday' } };
    const { status, body: answer } = await client.apply(path.replace('/v2/', '/v1/'), body, 'one');
    expect([status, answer.message]).toEqual([
      500,
      'failed to prune fields: failed to convert merged object to last applied version: unable to convert unstructured object to autoscaling/v1, Kind=HorizontalPodAutoscaler: parsing time "yesterday" as "2006-01-02T15:04:05Z07:00": cannot parse "yesterday" as "2006"',
    ]);
  });

  it('K-25: a field that the version of another manager does not declare is refused, also for a later apply', async () => {
    const gear = (version: string, spec: object): object => ({
      apiVersion: `example.com/${version}`,
      kind: 'Gear',
      spec,
    });
    const open = `${GEARS.replace('/v1/', '/v1beta1/')}/a`;
    const undeclared = '.spec.x: field not declared in schema';
    expect(await apply(`${GEARS}/a`, gear('v1', { size: 1 }), 'two')).toEqual([201]);
    expect(await apply(open, gear('v1beta1', { size: 1 }), 'one')).toEqual([200]);
    expect(await apply(open, gear('v1beta1', { size: 1, x: 'y' }), 'three')).toEqual([
      500,
      `failed to convert new object: ${undeclared}`,
    ]);
    expect(await apply(open, gear('v1beta1', { size: 1, x: 'y' }), 'one')).toEqual([
      500,
      `failed to prune fields: failed add back owned items: failed to convert merged object at version example.com/v1: ${undeclared}`,
    ]);
  });

  it('K-14, K-25: an apply that removes the last finalizer answers without the defaults of the stored version', async () => {
    const open = `${GEARS.replace('/v1/', '/v1beta1/')}/leaving`;
    const gear = (version: string, fields: object, finalizers: readonly string[]): object => ({
      apiVersion: `example.com/${version}`,
      kind: 'Gear',
      metadata: { name: 'leaving', finalizers },
      spec: fields,
    });
    const owned = gear('v1', { size: 1, color: 'blue' }, ['example.com/hold']);
    await client.apply(`${GEARS}/leaving`, owned, 'one');
    await client.delete(`${GEARS}/leaving`);
    for (const query of ['&dryRun=All', '']) {
      const { status, body } = await client.apply(open, gear('v1beta1', { size: 2 }, []), 'one', query);
      expect([status, body.apiVersion, body.spec]).toEqual([200, 'example.com/v1beta1', { size: 2 }]);
    }
    expect((await client.get(open)).status).toBe(404);
  });
});
