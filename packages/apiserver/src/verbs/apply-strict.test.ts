import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ControlPlane } from '../control-plane.fixture.ts';
import { createControlPlane } from '../control-plane.fixture.ts';
import { CONFIG_MAPS, configMap, RawClient } from '../raw-client.fixture.ts';

const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';

const prefix = (name: string, kind: string): string => `failed to create typed patch object (/${name}; ${kind}): `;

describe('strict server-side apply', () => {
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

  it.each([
    [{ foo: 1 }, '.foo: field not declared in schema'],
    [{ data: { x: 1 } }, '.data.x: expected string, got &value.valueUnstructured{Value:1}'],
    [{ data: { x: 1.5 } }, '.data.x: expected string, got &value.valueUnstructured{Value:1.5}'],
    [{ data: { x: -1.2e-6 } }, '.data.x: expected string, got &value.valueUnstructured{Value:-1.2e-06}'],
    [
      { data: { x: { b: ['c', null, true], a: 'd' } } },
      '.data.x: expected string, got &value.valueUnstructured{Value:map[string]interface {}{"a":"d", "b":[]interface {}{"c", interface {}(nil), true}}}',
    ],
    [{ data: 'str' }, '.data: expected map, got &{str}'],
    [{ data: [{ b: null }, 'a'] }, '.data: expected map, got &{[map[b:<nil>] a]}'],
    [{ immutable: 'yes' }, '.immutable: expected boolean, got &{yes}'],
    [{ metadata: { name: 'a', labels: 'x' } }, '.metadata.labels: expected map, got &{x}'],
    [
      { metadata: { name: 'a', finalizers: ['x/y', 'x/y'] } },
      '.metadata.finalizers: duplicate entries for key [="x/y"]',
    ],
    [
      { metadata: { name: 'a', finalizers: [null] } },
      ".metadata.finalizers: element 0: associative list without keys has an element that's an explicit null",
    ],
    [
      { metadata: { name: 'a', finalizers: [['x/y']] } },
      '.metadata.finalizers: element 0: not supported: associative list with lists as elements',
    ],
    [
      { metadata: { name: 'a', finalizers: [1] } },
      '.metadata.finalizers[=1]: expected string, got &value.valueUnstructured{Value:1}',
    ],
  ])('K-25: refuses %j with 500 and the error of its path', async (fields, error) => {
    const { status, body } = await client.apply(`${CONFIG_MAPS}/a`, { ...configMap('a'), ...fields }, 'one');
    expect([status, body.message]).toEqual([500, prefix('a', '/v1, Kind=ConfigMap') + error]);
    expect(body.reason).toBeUndefined();
  });

  const workload = (containers: unknown, spec = {}): object => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'd' },
    spec: { selector: { matchLabels: { a: 'b' } }, template: { spec: { containers } }, ...spec },
  });

  it.each([
    [
      workload([{ name: 'c', image: 'x', foo: 1 }]),
      '.spec.template.spec.containers[name="c"].foo: field not declared in schema',
    ],
    [workload([{ name: 'c' }, { name: 'c' }]), '.spec.template.spec.containers: duplicate entries for key [name="c"]'],
    [
      workload([null]),
      '.spec.template.spec.containers: element 0: associative list with keys may not have a null element',
    ],
    [
      workload(['x']),
      '.spec.template.spec.containers: element 0: associative list with keys may not have non-map elements',
    ],
    [workload({ a: 1 }), '.spec.template.spec.containers: expected list, got &{map[a:1]}'],
    [workload([], { replicas: 'three' }), '.spec.replicas: expected numeric (int or float), got string'],
    [
      workload([{ name: 'c', ports: [{ containerPort: 80 }, { containerPort: 80, protocol: 'TCP' }] }]),
      '.spec.template.spec.containers[name="c"].ports: duplicate entries for key [containerPort=80,protocol="TCP"]',
    ],
    [
      workload([{ name: 'c', env: [{ name: 'A', value: 1 }], foo: 1 }]),
      'errors:\n  .spec.template.spec.containers[name="c"].env[name="A"].value: expected string, got &value.valueUnstructured{Value:1}\n  .spec.template.spec.containers[name="c"].foo: field not declared in schema',
    ],
  ])('K-25: refuses %j with 500 and the error in its list', async (body, error) => {
    const answer = await client.apply(`${DEPLOYMENTS}/d`, body, 'one');
    expect([answer.status, answer.body.message]).toEqual([500, prefix('d', 'apps/v1, Kind=Deployment') + error]);
  });

  it('K-25: refuses a fraction in an integer field with 500', async () => {
    const { status, body } = await client.apply(`${DEPLOYMENTS}/d`, workload([], { replicas: 1.5 }), 'one');
    expect([status, body.message]).toEqual([
      500,
      'failed to convert new object (/d; apps/v1, Kind=Deployment) to proper version: unable to convert unstructured object to apps/v1, Kind=Deployment: cannot convert float64 to int32',
    ]);
  });

  it('K-25: refuses a number that Go converts to the smallest 64-bit integer, and a fraction in a 64-bit field', async () => {
    const job = (seconds: number): object => ({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'j' },
      spec: {
        activeDeadlineSeconds: seconds,
        template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } },
      },
    });
    const path = '/apis/batch/v1/namespaces/default/jobs/j';
    const large = await client.apply(path, job(1e300), 'one');
    expect([large.status, large.body.message]).toEqual([
      422,
      expect.stringContaining('spec.activeDeadlineSeconds: Invalid value: -9223372036854775808: must be greater than'),
    ]);
    const { body } = await client.apply(path, job(1.5), 'one');
    expect(body.message).toContain('Kind=Job: cannot convert float64 to int64');
  });

  it.each([
    [
      { apiVersion: 'apps/v1', kind: 'ConfigMap', metadata: { name: 'a' } },
      'invalid object type: apps/v1, Kind=ConfigMap',
    ],
    [{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' } }, 'invalid object type: /v1, Kind=Secret'],
    [{ kind: 'ConfigMap', metadata: { name: 'a' } }, 'invalid object type: /, Kind=ConfigMap'],
    ['', 'invalid object type: /, Kind='],
    ['null', 'invalid object type: /, Kind='],
    [
      [],
      'error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal array into Go value of type map[string]interface {}',
    ],
    [
      'a: b: c',
      'error decoding YAML: error converting YAML to JSON: yaml: mapping values are not allowed in this context',
    ],
    [
      { apiVersion: 'v1', kind: 'ConfigMap', data: {} },
      'the name of the object (absent based on URL) was undeterminable: name must be provided',
    ],
    [configMap('other'), 'the name of the object (other) does not match the name on the URL (absent)'],
    [
      configMap('absent', {}, { namespace: 'kube-system' }),
      'the namespace of the provided object does not match the namespace sent on the request',
    ],
    [configMap('absent', {}, { managedFields: [] }), 'metadata.managedFields must be nil'],
    [configMap('absent', {}, { managedFields: [{}] }), 'metadata.managedFields must be nil'],
  ])('K-25: answers 400 to the body %j', async (sent, message) => {
    const { status, body } = await client.apply(`${CONFIG_MAPS}/absent`, sent, 'one');
    expect([status, body.reason, body.message]).toEqual([400, 'BadRequest', message]);
  });

  it('K-25: an apply of an existing object needs no name in the body', async () => {
    await client.apply(`${CONFIG_MAPS}/named`, configMap('named'), 'one');
    const body = { apiVersion: 'v1', kind: 'ConfigMap', data: { x: '1' } };
    expect((await client.apply(`${CONFIG_MAPS}/named`, body, 'one')).body.data).toEqual({ x: '1' });
  });

  it('K-25: an apply of an absent object ignores a version and refuses a uid', async () => {
    const versioned = await client.apply(`${CONFIG_MAPS}/rv`, configMap('rv', {}, { resourceVersion: '1' }), 'one');
    expect(versioned.status).toBe(201);
    const { status, body } = await client.apply(`${CONFIG_MAPS}/uid`, configMap('uid', {}, { uid: 'abc' }), 'one');
    expect([status, body.message]).toEqual([
      409,
      'Operation cannot be fulfilled on configmaps "uid": uid mismatch: the provided object specified uid abc, and no existing object was found',
    ]);
  });

  it('K-25: duplicate keys in YAML are reported as the client requested', async () => {
    const yaml = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: twice\ndata:\n  a: b\n  a: c\n';
    const warned = await client.apply(`${CONFIG_MAPS}/twice`, yaml, 'one');
    expect(warned.headers['warning']).toBe('299 - "line 7: key \\"a\\" already set in map"');
    expect(warned.body.data).toEqual({ a: 'c' });
    const strict = await client.apply(`${CONFIG_MAPS}/twice`, yaml, 'one', '&fieldValidation=Strict');
    expect([strict.status, strict.body.message]).toEqual([
      400,
      'error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  line 7: key "a" already set in map',
    ]);
  });

  it('K-25: null and empty maps are owned, empty sets are not', async () => {
    const path = `${CONFIG_MAPS}/empty`;
    const owned = async (fields: object): Promise<unknown> =>
      (await client.apply(path, { ...configMap('empty'), data: undefined, ...fields }, 'one')).body.metadata
        .managedFields[0]?.fieldsV1;
    expect(await owned({ data: null })).toEqual({ 'f:data': {} });
    expect(await owned({ data: {} })).toEqual({ 'f:data': {} });
    expect(await owned({ data: { a: null } })).toEqual({ 'f:data': { 'f:a': {} } });
    expect(await owned({ metadata: { name: 'empty', labels: {}, finalizers: [] } })).toEqual({
      'f:metadata': { 'f:labels': {} },
    });
  });
});
