import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ControlPlane } from '../control-plane.fixture.ts';
import { createControlPlane } from '../control-plane.fixture.ts';
import { CONFIG_MAPS, configMap, RawClient } from '../raw-client.fixture.ts';

const PODS = '/api/v1/namespaces/default/pods';
const WIDGETS = '/apis/example.com/v1/namespaces/default/widgets';

const widgets = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } },
          },
        },
      },
    ],
  },
};

describe('options of writes', () => {
  let plane: ControlPlane;
  let client: RawClient;

  beforeAll(async () => {
    plane = await createControlPlane({ crds: [widgets] });
    client = new RawClient(plane.config);
  });
  afterAll(async () => {
    client[Symbol.dispose]();
    await plane.stop();
  });

  it('K-15: dryRun=All returns the normal response and changes nothing, for every verb', async () => {
    const path = `${CONFIG_MAPS}/kept`;
    const { body: before } = await client.post(CONFIG_MAPS, configMap('kept', { x: '1' }));
    const watch = await client.watch(
      `${CONFIG_MAPS}?watch=true&resourceVersion=${before.metadata.resourceVersion}&fieldSelector=metadata.name%3Dkept`,
    );

    expect((await client.put(`${path}?dryRun=All`, configMap('kept', { x: '2' }))).body).toMatchObject({
      data: { x: '2' },
      metadata: { resourceVersion: before.metadata.resourceVersion },
    });
    expect((await client.patch(`${path}?dryRun=All`, { data: { y: '2' } })).body.data).toEqual({ x: '1', y: '2' });
    const applied = await client.apply(path, configMap('kept', { z: '3' }), 'other', '&dryRun=All');
    expect(applied.body.data).toEqual({ x: '1', z: '3' });
    expect((await client.delete(`${path}?dryRun=All`)).status).toBe(200);
    expect((await client.delete(`${CONFIG_MAPS}?dryRun=All`)).status).toBe(200);
    expect((await client.delete(path, { dryRun: ['All'] })).status).toBe(200);
    expect((await client.post(`${CONFIG_MAPS}?dryRun=All`, configMap('never'))).status).toBe(201);
    expect((await client.apply(`${CONFIG_MAPS}/never`, configMap('never'), 'x', '&dryRun=All')).status).toBe(201);
    expect((await client.get(`${CONFIG_MAPS}/never`)).status).toBe(404);

    expect((await client.get(path)).body).toEqual(before);
    const { body: after } = await client.patch(path, { data: { end: 'x' } });
    expect(await watch.take(1)).toEqual([`MODIFIED kept@${after.metadata.resourceVersion}`]);
    watch.close();
  });

  it('K-15: a dry run fails if the write would fail', async () => {
    expect((await client.post(`${CONFIG_MAPS}?dryRun=All`, configMap('Not_A_Name'))).status).toBe(422);
    expect((await client.delete(`${CONFIG_MAPS}/missing?dryRun=All`)).status).toBe(404);
  });

  it('K-15: refuses unknown options', async () => {
    const dryRun = await client.post(`${CONFIG_MAPS}?dryRun=Some`, configMap('a'));
    expect([dryRun.status, dryRun.body.message]).toEqual([
      422,
      'CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["Some"]: supported values: "All"',
    ]);
    const validation = await client.put(`${CONFIG_MAPS}/a?fieldValidation=Maybe`, configMap('a'));
    expect(validation.body.message).toContain('UpdateOptions.meta.k8s.io "" is invalid: fieldValidation');
    const long = await client.patch(`${CONFIG_MAPS}/a?fieldManager=${'x'.repeat(129)}`, {});
    expect(long.body.message).toContain('fieldManager: Too long');
    const unprintable = await client.patch(`${CONFIG_MAPS}/a?fieldManager=a%07`, {});
    expect(unprintable.body.message).toContain('invalid character U+0007 (at position 1)');
    const force = await client.patch(`${CONFIG_MAPS}/a?force=true`, {});
    expect(force.body.message).toContain('force: Forbidden: may not be specified for non-apply patch');
    const nameless = await client.apply(`${CONFIG_MAPS}/a`, configMap('a'), '');
    expect(nameless.body.message).toBe(
      'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
    );
  });

  it('K-15: the field manager is fieldManager, or else the program in User-Agent', async () => {
    const headers = { 'content-type': 'application/json', 'user-agent': 'kubectl/v1.33.0 (linux/amd64)' };
    const body = configMap('managers', { x: '1' });
    const created = await client.request('POST', CONFIG_MAPS, { body, headers });
    expect(created.body.metadata.managedFields).toEqual([
      expect.objectContaining({
        manager: 'kubectl',
        operation: 'Update',
        fieldsV1: { 'f:data': { '.': {}, 'f:x': {} } },
      }),
    ]);
    const patched = await client.patch(`${CONFIG_MAPS}/managers?fieldManager=me`, { data: { x: '2' } });
    expect(patched.body.metadata.managedFields).toEqual([
      expect.objectContaining({ manager: 'kubectl', fieldsV1: { 'f:data': {} } }),
      expect.objectContaining({ manager: 'me', fieldsV1: { 'f:data': { 'f:x': {} } } }),
    ]);
  });

  const pod = (fields: object): object => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { generateName: 'p-' },
    spec: { containers: [{ name: 'main', image: 'one', ...fields }] },
  });

  it('K-15: fieldValidation=Strict refuses unknown fields', async () => {
    const builtIn = await client.post(`${PODS}?fieldValidation=Strict`, pod({ imag: 'two' }));
    expect([builtIn.status, builtIn.body.message]).toEqual([
      400,
      'Pod in version "v1" cannot be handled as a Pod: strict decoding error: unknown field "spec.containers[0].imag"',
    ]);
    const custom = {
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { name: 'w' },
      spec: { size: 1, color: 'red' },
    };
    const defined = await client.post(`${WIDGETS}?fieldValidation=Strict`, custom);
    expect(defined.body.message).toContain('strict decoding error: unknown field "spec.color"');
    expect((await client.post(`${PODS}?fieldValidation=Strict`, pod({ imagePullPolicy: 'Always' }))).status).toBe(201);
  });

  it('K-15: fieldValidation=Strict refuses duplicate fields', async () => {
    const twice = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"t"},"data":{"a":"1","b":"2","a":"3"}}';
    const { status, body } = await client.post(`${CONFIG_MAPS}?fieldValidation=Strict`, twice);
    expect([status, body.message]).toEqual([
      400,
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: duplicate field "data.a"',
    ]);
  });

  it('K-15: fieldValidation=Warn, the default, drops such fields with a warning; Ignore drops them silently', async () => {
    const warned = await client.post(PODS, pod({ imag: 'two', 'ta"g': 1 }));
    expect(warned.status).toBe(201);
    expect(warned.headers.warning).toBe(
      '299 - "unknown field \\"spec.containers[0].imag\\"", 299 - "unknown field \\"spec.containers[0].ta\\\\\\"g\\""',
    );
    expect(warned.body.spec).toMatchObject({ containers: [{ name: 'main', image: 'one' }] });
    expect(warned.text).not.toContain('imag"');
    const patched = await client.patch(`${PODS}/${warned.body.metadata.name}`, { spec: { nodename: 'n' } });
    expect(patched.headers.warning).toBe('299 - "unknown field \\"spec.nodename\\""');
    const ignored = await client.post(`${PODS}?fieldValidation=Ignore`, pod({ imag: 'two' }));
    expect([ignored.status, ignored.headers.warning]).toEqual([201, undefined]);
    expect(ignored.body.spec).toMatchObject({ containers: [{ name: 'main', image: 'one' }] });
    expect(ignored.text).not.toContain('imag"');
  });
});
