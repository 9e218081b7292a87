import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ControlPlane } from '../control-plane.fixture.ts';
import { createControlPlane } from '../control-plane.fixture.ts';
import { CONFIG_MAPS, configMap, RawClient } from '../raw-client.fixture.ts';

const SECRETS = '/api/v1/namespaces/default/secrets';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';

const secret = (name: string, fields: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name },
  ...fields,
});

const deployment = (name: string): object => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: {
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'main', image: 'one' }] } },
  },
});

describe('writes', () => {
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

  it('K-10: create returns 201 and the fields that the server sets', async () => {
    const { status, body } = await client.post(CONFIG_MAPS, configMap('created', { x: '1' }));
    expect(status).toBe(201);
    expect(body).toMatchObject({ kind: 'ConfigMap', apiVersion: 'v1', data: { x: '1' } });
    expect(body.metadata).toEqual({
      name: 'created',
      namespace: 'default',
      uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      resourceVersion: expect.stringMatching(/^\d+$/),
      creationTimestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      managedFields: [expect.objectContaining({ operation: 'Update' })],
    });
    const withSpec = await client.post(DEPLOYMENTS, deployment('created'));
    expect(withSpec.body.metadata.generation).toBe(1);
  });

  it('K-10: a resourceVersion on create is 500, and a dry run accepts it', async () => {
    const versioned = { ...configMap('versioned'), metadata: { name: 'versioned', resourceVersion: '5' } };
    const { status, body } = await client.post(CONFIG_MAPS, versioned);
    expect({ status, body }).toEqual({
      status: 500,
      body: {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message: 'resourceVersion should not be set on objects to be created',
        code: 500,
      },
    });
    const tried = await client.post(`${CONFIG_MAPS}?dryRun=All`, versioned);
    expect(tried).toMatchObject({ status: 201, body: { metadata: { resourceVersion: '5' } } });
    // A text that is not a version is ignored.
    const unversioned = { ...versioned, metadata: { name: 'versioned', resourceVersion: 'abc' } };
    const created = await client.post(CONFIG_MAPS, unversioned);
    expect(created).toMatchObject({
      status: 201,
      body: { metadata: { resourceVersion: expect.stringMatching(/^\d+$/) } },
    });
  });

  it('K-10: creating an existing object is 409 AlreadyExists', async () => {
    await client.post(CONFIG_MAPS, configMap('twice'));
    const { status, body } = await client.post(CONFIG_MAPS, configMap('twice'));
    expect(status).toBe(409);
    expect(body).toMatchObject({ reason: 'AlreadyExists', message: 'configmaps "twice" already exists', code: 409 });
  });

  it('K-10: generates a name from generateName', async () => {
    const { body } = await client.post(CONFIG_MAPS, { ...configMap(''), metadata: { generateName: 'made-' } });
    expect(body.metadata.name).toMatch(/^made-[a-z0-9]{5}$/);
    expect(body.metadata.generateName).toBe('made-');
  });

  it('K-10: a missing namespace is 404', async () => {
    const { status, body } = await client.post('/api/v1/namespaces/nowhere/configmaps', configMap('a'));
    expect(status).toBe(404);
    expect(body).toMatchObject({ reason: 'NotFound', message: 'namespaces "nowhere" not found' });
  });

  it('K-10: refuses an object of another namespace or version', async () => {
    const wrongNamespace = await client.post(CONFIG_MAPS, configMap('a', {}, { namespace: 'kube-system' }));
    expect(wrongNamespace.body.message).toBe(
      'the namespace of the provided object does not match the namespace sent on the request',
    );
    const wrongKind = await client.post(CONFIG_MAPS, secret('a'));
    expect(wrongKind.status).toBe(400);
    const wrongVersion = await client.post(CONFIG_MAPS, { ...configMap('a'), apiVersion: 'v2' });
    expect(wrongVersion.body.message).toBe(
      'ConfigMap in version "v2" cannot be handled as a ConfigMap: no kind "ConfigMap" is registered for version "v2" in scheme "pkg/runtime/scheme.go:111"',
    );
  });

  it('K-15: dryRun returns the normal response and stores nothing', async () => {
    expect((await client.post(`${CONFIG_MAPS}?dryRun=All`, configMap('as-if'))).status).toBe(201);
    expect((await client.get(`${CONFIG_MAPS}/as-if`)).status).toBe(404);
  });

  it('K-11: an update of a stale version is 409 Conflict with the message of a real server', async () => {
    const { body: first } = await client.post(CONFIG_MAPS, configMap('stale'));
    await client.patch(`${CONFIG_MAPS}/stale`, { data: { x: '1' } });
    const { status, body } = await client.put(`${CONFIG_MAPS}/stale`, { ...first, data: { x: '2' } });
    expect(status).toBe(409);
    expect(body).toMatchObject({
      reason: 'Conflict',
      message:
        'Operation cannot be fulfilled on configmaps "stale": the object has been modified; please apply your changes to the latest version and try again',
      details: { name: 'stale', kind: 'configmaps' },
    });
  });

  it('K-11: an update without a version is unconditional, and keeps the fields that the server owns', async () => {
    const { body: first } = await client.post(CONFIG_MAPS, configMap('owned'));
    const { body: second } = await client.put(`${CONFIG_MAPS}/owned`, configMap('owned', { x: '1' }));
    expect(second.data).toEqual({ x: '1' });
    expect(second.metadata.uid).toBe(first.metadata.uid);
    expect(second.metadata.creationTimestamp).toBe(first.metadata.creationTimestamp);
    const otherUid = await client.put(`${CONFIG_MAPS}/owned`, configMap('owned', {}, { uid: 'other' }));
    expect(otherUid.body.reason).toBe('Conflict');
  });

  it('K-11: an update of a missing object is 404, and its name must match the path', async () => {
    expect((await client.put(`${CONFIG_MAPS}/missing`, configMap('missing'))).status).toBe(404);
    const misnamed = await client.put(`${CONFIG_MAPS}/missing`, configMap('other'));
    expect(misnamed.body.message).toBe('the name of the object (other) does not match the name on the URL (missing)');
  });

  it('K-11: status and spec are written separately, and generation counts only changes of the spec', async () => {
    const path = `${DEPLOYMENTS}/parts`;
    await client.post(DEPLOYMENTS, { ...deployment('parts'), status: { replicas: 9 } });
    expect((await client.get(path)).body.status).toEqual({});
    const status = await client.patch(`${path}/status`, {
      spec: { replicas: 5 },
      status: { replicas: 1 },
      metadata: { labels: { a: 'b' } },
    });
    expect(status.body).toMatchObject({ spec: { replicas: 1 }, status: { replicas: 1 }, metadata: { generation: 1 } });
    expect(status.body.metadata).not.toHaveProperty('labels');
    const rest = await client.patch(path, { spec: { replicas: 5 }, status: { replicas: 7 } });
    expect(rest.body).toMatchObject({ spec: { replicas: 5 }, status: { replicas: 1 }, metadata: { generation: 2 } });
    const labelled = await client.patch(path, { metadata: { labels: { a: 'b' } } });
    expect(labelled.body.metadata.generation).toBe(2);
  });

  it('K-11: a change of an immutable field is 422 with its cause', async () => {
    await client.post(SECRETS, secret('typed', { type: 'example.com/one' }));
    const { status, body } = await client.patch(`${SECRETS}/typed`, { type: 'example.com/two' });
    expect(status).toBe(422);
    expect(body).toMatchObject({
      reason: 'Invalid',
      message: 'Secret "typed" is invalid: type: Invalid value: "example.com/two": field is immutable',
      details: { kind: 'Secret', causes: [{ reason: 'FieldValueInvalid', field: 'type' }] },
    });
    await client.post(CONFIG_MAPS, { ...configMap('frozen', { x: '1' }), immutable: true });
    const frozen = await client.patch(`${CONFIG_MAPS}/frozen`, { data: { x: '2' } });
    expect(frozen.body.message).toContain('field is immutable when `immutable` is set');
  });

  it('K-11: an update creates a missing Lease, and must name the version of a Lease that exists', async () => {
    const path = '/apis/coordination.k8s.io/v1/namespaces/default/leases/made';
    const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'made' }, spec: {} };
    expect((await client.put(path, lease)).status).toBe(201);
    expect((await client.put(path, lease)).status).toBe(422);
    const { resourceVersion } = (await client.get(path)).body.metadata;
    const next = { ...lease, metadata: { ...lease.metadata, resourceVersion } };
    expect((await client.put(path, next)).status).toBe(200);
  });

  it('K-12: accepts merge, JSON and strategic merge patches by their media types', async () => {
    await client.post(DEPLOYMENTS, deployment('patched'));
    const path = `${DEPLOYMENTS}/patched`;
    const env = [{ name: 'A', value: '1' }];
    const strategic = await client.patch(
      path,
      { spec: { template: { spec: { containers: [{ name: 'main', env }] } } } },
      'strategic-merge-patch',
    );
    expect(strategic.body.spec).toMatchObject({
      template: { spec: { containers: [{ name: 'main', image: 'one', env }] } },
    });
    const json = await client.patch(
      path,
      [{ op: 'replace', path: '/spec/template/spec/containers/0/image', value: 'two' }],
      'json-patch',
    );
    expect(json.body.spec).toMatchObject({ template: { spec: { containers: [{ name: 'main', image: 'two', env }] } } });
    const merge = await client.patch(path, {
      spec: { template: { spec: { containers: [{ name: 'other', image: 'one' }] } } },
    });
    expect(merge.body.spec).toMatchObject({ template: { spec: { containers: [{ name: 'other', image: 'one' }] } } });
  });

  it('K-12: a JSON patch whose test fails is 422, an unknown patch type is 415', async () => {
    await client.post(CONFIG_MAPS, configMap('tested', { x: '1' }));
    const failed = await client.patch(
      `${CONFIG_MAPS}/tested`,
      [{ op: 'test', path: '/data/x', value: '2' }],
      'json-patch',
    );
    expect(failed.status).toBe(422);
    const unknown = await client.patch(`${CONFIG_MAPS}/tested`, {}, 'unknown-patch');
    expect(unknown.status).toBe(415);
    expect(unknown.body.message).toBe('415: Unsupported Media Type');
  });

  it('K-12: a patch with a version is conditional', async () => {
    const { body } = await client.post(CONFIG_MAPS, configMap('conditional'));
    await client.patch(`${CONFIG_MAPS}/conditional`, { data: { x: '1' } });
    const stale = await client.patch(`${CONFIG_MAPS}/conditional`, {
      metadata: { resourceVersion: body.metadata.resourceVersion },
    });
    expect(stale.status).toBe(409);
  });

  it('moves stringData into data, and sets the type of a Secret', async () => {
    const { body } = await client.post(
      SECRETS,
      secret('folded', { data: { a: 'YQ==' }, stringData: { b: 'b', a: 'c' } }),
    );
    expect(body).toMatchObject({ type: 'Opaque', data: { a: 'Yw==', b: 'Yg==' } });
    expect(body).not.toHaveProperty('stringData');
    expect((await client.post(SECRETS, secret('plain', { data: { a: 'not base64!' } }))).status).toBe(400);
  });

  it('K-16: names, labels and data keys are validated, and every error is a cause', async () => {
    const { status, body } = await client.post(
      CONFIG_MAPS,
      configMap('Not_A_Name', { 'a b': '' }, { labels: { ok: 'not ok!' } }),
    );
    expect(status).toBe(422);
    expect(body).toMatchObject({ kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Invalid', code: 422 });
    expect(body.details.causes.map(({ field }) => field)).toEqual(['metadata.name', 'metadata.labels', 'data[a b]']);
    expect(body.message).toContain(
      `ConfigMap "Not_A_Name" is invalid: [metadata.name: Invalid value: "Not_A_Name": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
    );
    const nameless = await client.post(CONFIG_MAPS, { ...configMap(''), metadata: {} });
    expect(nameless.body.message).toBe(
      'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
    );
  });

  it('K-16: errors are Status objects with the messages of a real server', async () => {
    expect((await client.get(`${CONFIG_MAPS}/x`)).body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'configmaps "x" not found',
      reason: 'NotFound',
      details: { name: 'x', kind: 'configmaps' },
      code: 404,
    });
    expect((await client.get(`${DEPLOYMENTS}/x`)).body).toMatchObject({
      message: 'deployments.apps "x" not found',
      details: { group: 'apps' },
    });
    expect((await client.request('POST', `${CONFIG_MAPS}/x`)).body).toMatchObject({
      reason: 'MethodNotAllowed',
      code: 405,
    });
    expect((await client.post(CONFIG_MAPS, '{"half')).body).toMatchObject({ reason: 'BadRequest', code: 400 });
    expect((await client.post(CONFIG_MAPS, configMap('huge', { x: 'x'.repeat(3_500_000) }))).body).toMatchObject({
      reason: 'RequestEntityTooLarge',
      code: 413,
    });
    const unknown = await client.get('/apis/nowhere/v1/things');
    expect([unknown.status, unknown.text]).toEqual([404, '404 page not found\n']);
  });

  it('serves events through both groups, whichever they were written through', async () => {
    const core = '/api/v1/namespaces/default/events';
    const events = '/apis/events.k8s.io/v1/namespaces/default/events';
    const regarding = { kind: 'ConfigMap', name: 'x' };
    await client.post(events, {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name: 'e' },
      regarding,
      note: 'hello',
      eventTime: '2026-01-01T00:00:00.000000Z',
      reportingController: 'example.com/test',
      reportingInstance: 'test-1',
      action: 'Greeting',
      reason: 'Greeted',
      type: 'Normal',
    });
    expect((await client.get(`${core}/e`)).body).toMatchObject({
      apiVersion: 'v1',
      involvedObject: regarding,
      message: 'hello',
    });
    expect((await client.get(`${events}/e`)).body).toMatchObject({
      apiVersion: 'events.k8s.io/v1',
      regarding,
      note: 'hello',
    });
    const selected = await client.get(`${core}?fieldSelector=involvedObject.name%3Dx`);
    expect(selected.body.items).toHaveLength(1);
  });
});
