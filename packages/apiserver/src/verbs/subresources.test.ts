import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ControlPlane } from '../control-plane.fixture.ts';
import { createControlPlane } from '../control-plane.fixture.ts';
import { RawClient } from '../raw-client.fixture.ts';

const PODS = '/api/v1/namespaces/default/pods';
const WORKERS = '/apis/example.com/v1/namespaces/default/workers';
const BUDGETS = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';

const workers = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'workers.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'workers', kind: 'Worker' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: {
            specReplicasPath: '.spec.size.wanted',
            statusReplicasPath: '.status.size',
            labelSelectorPath: '.status.selector',
          },
        },
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

describe('subresources', () => {
  let plane: ControlPlane;
  let client: RawClient;

  beforeAll(async () => {
    plane = await createControlPlane({ crds: [workers] });
    client = new RawClient(plane.config);
  });
  afterAll(async () => {
    client[Symbol.dispose]();
    await plane.stop();
  });

  const scale = (name: string, replicas: number, metadata: object = {}): object => ({
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata: { name, ...metadata },
    spec: { replicas },
  });

  it.each(['Deployment', 'ReplicaSet', 'StatefulSet'])(
    'K-11: get, update, patch and apply work on the scale of %s',
    async (kind) => {
      const plural = `/apis/apps/v1/namespaces/default/${kind.toLowerCase()}s`;
      const path = `${plural}/scaled/scale`;
      await client.post(plural, {
        apiVersion: 'apps/v1',
        kind,
        metadata: { name: 'scaled' },
        spec: {
          selector: {
            matchLabels: { app: 'a' },
            matchExpressions: [{ key: 'tier', operator: 'In', values: ['x', 'y'] }],
          },
          template: {
            metadata: { labels: { app: 'a', tier: 'x' } },
            spec: { containers: [{ name: 'main', image: 'one' }] },
          },
        },
      });
      const { body: first } = await client.get(path);
      expect(first).toMatchObject({
        kind: 'Scale',
        apiVersion: 'autoscaling/v1',
        metadata: { name: 'scaled', namespace: 'default' },
        spec: { replicas: 1 },
        status: { replicas: 0, selector: 'app=a,tier in (x,y)' },
      });
      const updated = await client.put(path, scale('scaled', 3, { resourceVersion: first.metadata.resourceVersion }));
      expect([updated.status, updated.body.spec]).toEqual([200, { replicas: 3 }]);
      const stale = await client.put(path, scale('scaled', 4, { resourceVersion: first.metadata.resourceVersion }));
      expect([stale.status, stale.body.reason]).toEqual([409, 'Conflict']);
      expect((await client.patch(path, { spec: { replicas: 5 } })).body.spec).toEqual({ replicas: 5 });
      expect((await client.patch(`${path}?dryRun=All`, { spec: { replicas: 9 } })).body.spec).toEqual({ replicas: 9 });
      const conflict = await client.apply(path, scale('scaled', 6), 'scaler');
      expect(conflict.body.message).toBe(
        'Apply failed with 1 conflict: conflict with "unknown" with subresource "scale" using autoscaling/v1: .spec.replicas',
      );
      expect((await client.apply(path, scale('scaled', 6), 'scaler', '&force=true')).body.spec).toEqual({
        replicas: 6,
      });
      const { body: whole } = await client.get(`${plural}/scaled`);
      expect(whole).toMatchObject({ spec: { replicas: 6 }, metadata: { generation: 4 } });
      expect(whole.metadata.managedFields).toContainEqual(
        expect.objectContaining({
          manager: 'scaler',
          subresource: 'scale',
          fieldsV1: { 'f:spec': { 'f:replicas': {} } },
        }),
      );
      expect((await client.put(path, scale('scaled', -1))).body.message).toBe(
        'Scale.autoscaling "scaled" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
      );
      expect((await client.get(`${plural}/missing/scale`)).status).toBe(404);
    },
  );

  it('K-19: a definition sets the paths of the scale of its kind', async () => {
    const spec = { size: { wanted: 2 }, other: true };
    await client.post(WORKERS, { apiVersion: 'example.com/v1', kind: 'Worker', metadata: { name: 'w' }, spec });
    await client.patch(`${WORKERS}/w/status`, { status: { size: 1, selector: 'app=w' } });
    expect((await client.get(`${WORKERS}/w/scale`)).body).toMatchObject({
      spec: { replicas: 2 },
      status: { replicas: 1, selector: 'app=w' },
    });
    await client.patch(`${WORKERS}/w/scale`, { spec: { replicas: 4 } });
    expect((await client.get(`${WORKERS}/w`)).body.spec).toEqual({ size: { wanted: 4 }, other: true });
  });

  it('K-17: discovery lists the subresources', async () => {
    const { body: apps } = await client.get('/apis/apps/v1');
    expect(apps).toHaveProperty(
      'resources',
      expect.arrayContaining([
        {
          name: 'deployments/scale',
          singularName: '',
          namespaced: true,
          group: 'autoscaling',
          version: 'v1',
          kind: 'Scale',
          verbs: ['get', 'patch', 'update'],
        },
      ]),
    );
    const { body: core } = await client.get('/api/v1');
    expect(core).toHaveProperty(
      'resources',
      expect.arrayContaining([expect.objectContaining({ name: 'pods/eviction', kind: 'Eviction', verbs: ['create'] })]),
    );
  });

  const pod = (name: string): object => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels: { app: name } },
    spec: { containers: [{ name: 'main', image: 'one' }] },
  });
  const eviction = (name: string): object => ({ apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name } });

  it('K-28: a status that a client writes has the fields that the Go types always write', async () => {
    const url = '/apis/apps/v1/namespaces/default/daemonsets';
    const labels = { app: 'web' };
    const spec = {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'one' }] } },
    };
    const daemonSet = { apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: { name: 'a' }, spec };
    await client.post(url, daemonSet);
    const { body } = await client.put(`${url}/a/status`, { ...daemonSet, status: { numberReady: 1 } });
    const none = { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0 };
    expect(body['status']).toEqual({ ...none, numberReady: 1 });
  });

  it('K-24: the path implies the kind of the body of a subresource', async () => {
    await client.post(PODS, pod('implied'));
    const bodies = [{}, { kind: 'Pod', apiVersion: 'v1' }, { metadata: { name: 'implied' } }];
    const answers = [];
    for (const body of bodies) {
      const { status, body: answer } = await client.post(`${PODS}/implied/eviction`, body);
      answers.push([status, answer.message]);
    }
    expect(answers).toEqual([
      [400, 'name in URL does not match name in Eviction object'],
      [
        400,
        'Pod in version "v1" cannot be handled as a Eviction: converting (v1.Pod) to (policy.Eviction): unknown conversion',
      ],
      [201, undefined],
    ]);
  });

  it('K-19: validates the fields that the scale subresource shows', async () => {
    const worker = { apiVersion: 'example.com/v1', kind: 'Worker', metadata: { name: 'odd' } };
    const { status, body } = await client.post(WORKERS, { ...worker, spec: { size: { wanted: -1 } } });
    expect([status, body.message]).toEqual([
      422,
      'Worker.example.com "odd" is invalid: .spec.size.wanted: Invalid value: -1: should be a non-negative integer',
    ]);
    const { body: other } = await client.post(WORKERS, { ...worker, spec: { size: { wanted: 2 ** 31 } } });
    expect(other.message).toContain('should be less than or equal to 2147483647');
    const { body: nested } = await client.post(WORKERS, { ...worker, spec: { size: true } });
    expect(nested.message).toContain('.spec.size.wanted accessor error: true is of the type bool, expected map');
    await client.post(WORKERS, worker);
    const fields = { status: { size: 'two', selector: 3 } };
    expect((await client.patch(`${WORKERS}/odd/status`, fields)).body.message).toBe(
      'Worker.example.com "odd" is invalid: ' +
        '[.status.size: Invalid value: 0: .status.size accessor error: two is of the type string, expected int64, ' +
        '.status.selector: Invalid value: "": .status.selector accessor error: 3 is of the type int64, expected string]',
    );
  });

  it('K-28: validates the metadata of a scale that is sent, although it is not stored', async () => {
    const path = '/api/v1/namespaces/default/replicationcontrollers';
    const labels = { app: 'rc' };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'a', image: 'b' }] } };
    await client.post(path, { metadata: { name: 'rc' }, spec: { selector: labels, template } });
    const sent = { metadata: { labels: { 'bad key!': 'x' }, generation: -1 }, spec: { replicas: -2 } };
    const { status, body } = await client.patch(`${path}/rc/scale`, sent);
    expect([status, body.message]).toEqual([422, expect.stringContaining('Scale.autoscaling "rc" is invalid: [')]);
    expect(body.details.causes.map(({ field }) => field)).toEqual([
      'metadata.generation',
      'metadata.labels',
      'spec.replicas',
    ]);
  });

  it('K-28: an eviction deletes the pod', async () => {
    await client.post(PODS, pod('evicted'));
    expect((await client.post(`${PODS}/evicted/eviction?dryRun=All`, eviction('evicted'))).status).toBe(201);
    expect((await client.get(`${PODS}/evicted`)).status).toBe(200);
    const { status, body } = await client.post(`${PODS}/evicted/eviction`, eviction('evicted'));
    expect([status, body.status]).toEqual([201, 'Success']);
    expect((await client.get(`${PODS}/evicted`)).status).toBe(404);
    expect((await client.post(`${PODS}/evicted/eviction`, eviction('evicted'))).status).toBe(404);
  });

  it('K-28: a disruption budget without allowed disruptions keeps its pods', async () => {
    await client.post(PODS, pod('kept'));
    await client.post(BUDGETS, {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'budget' },
      spec: { minAvailable: 1, selector: { matchLabels: { app: 'kept' } } },
    });
    const budgetOf = (fields: object): object => ({ status: { observedGeneration: 1, ...fields } });
    const causeOf = (cause: string): object => ({
      details: { causes: [{ reason: 'DisruptionBudget', message: `The disruption budget budget ${cause}` }] },
    });
    await client.patch(`${PODS}/kept/status`, { status: { phase: 'Running' } });
    const { headers, body: unseen } = await client.post(`${PODS}/kept/eviction`, eviction('kept'));
    expect(headers['retry-after']).toBe('10');
    expect(unseen).toMatchObject(causeOf('is still being processed by the server.'));
    await client.patch(`${BUDGETS}/budget/status`, budgetOf({ disruptionsAllowed: 0, desiredHealthy: 1 }));
    const { status, body } = await client.post(`${PODS}/kept/eviction`, eviction('kept'));
    expect([status, body.reason]).toEqual([429, 'TooManyRequests']);
    expect(body).toMatchObject(causeOf('needs 1 healthy pods and has 0 currently'));
    expect(body.message).toBe("Cannot evict pod as it would violate the pod's disruption budget.");
    expect((await client.get(`${PODS}/kept`)).status).toBe(200);
    await client.patch(`${BUDGETS}/budget/status`, { status: { disruptionsAllowed: 1 } });
    expect((await client.post(`${PODS}/kept/eviction`, eviction('kept'))).status).toBe(201);
  });
});
