import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import type { ControlPlane } from '../control-plane.fixture.ts';
import { createControlPlane } from '../control-plane.fixture.ts';
import type { ObjectManifest } from '../protocol.ts';
import type { Body } from '../raw-client.fixture.ts';
import { RawClient } from '../raw-client.fixture.ts';

const DEFAULTED = { type: 'string', default: 'd' };

/** Returns the definition of a kind with a schema. */
function definition(plural: string, properties: object, subresources: object = {}): ObjectManifest {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.example.com` },
    spec: {
      group: 'example.com',
      scope: 'Cluster',
      names: { plural, kind: plural },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties } },
          subresources,
        },
      ],
    },
  };
}

const OPENS = '/apis/example.com/v1/opens';
const STATES = '/apis/example.com/v1/states';

describe('objects as they are read back', () => {
  let plane: ControlPlane;
  let client: RawClient;

  beforeAll(async () => {
    const open = { type: 'object', additionalProperties: true };
    const status = {
      type: 'object',
      default: {},
      properties: { p: DEFAULTED, q: { type: 'array', items: { type: 'integer' } } },
    };
    plane = await createControlPlane({
      crds: [
        definition('opens', { spec: open, status: { type: 'integer' } }),
        definition('states', { spec: open, status }, { status: {} }),
      ],
    });
    client = new RawClient(plane.config);
  });
  afterAll(async () => {
    client[Symbol.dispose]();
    await plane.stop();
  });

  const object = (kind: string, name: string, fields: object): object => ({
    apiVersion: 'example.com/v1',
    kind,
    metadata: { name },
    ...fields,
  });
  const fieldsOf = (body: Body): unknown[] => body.metadata.managedFields.map(({ fieldsV1 }) => fieldsV1);

  it('K-13: drops undeclared fields of an applied object, whose manager owns them', async () => {
    const { status, body } = await client.apply(`${OPENS}/a`, object('opens', 'a', { spec: { a: { b: 1 } } }), 'm');
    expect([status, body.spec]).toEqual([201, { a: {} }]);
    expect(fieldsOf(body)).toEqual([{ 'f:spec': { 'f:a': { '.': {}, 'f:b': {} } } }]);
    expect((await client.get(`${OPENS}/a`)).body.spec).toEqual({ a: {} });
  });

  it('K-15: names the fields below additionalProperties: true that are dropped', async () => {
    const answer = await client.post(
      `${OPENS}?fieldValidation=Strict`,
      object('opens', 'b', { spec: { a: { b: 1 } } }),
    );
    expect([answer.status, answer.body.message]).toEqual([
      400,
      expect.stringContaining('strict decoding error: unknown field "spec.a.b"'),
    ]);
  });

  it('K-11: counts the status of a kind without the subresource in its generation', async () => {
    await client.post(OPENS, object('opens', 'c', {}));
    const { body } = await client.patch(`${OPENS}/c`, { status: 1 });
    expect(body.metadata.generation).toBe(2);
  });

  it('K-19: sets the defaults of a status that is written', async () => {
    await client.post(STATES, object('states', 'a', {}));
    const { body } = await client.patch(`${STATES}/a/status`, { status: { q: [1] } });
    expect(body.status).toEqual({ p: 'd', q: [1] });
  });

  it('K-1: stores the default status of a new object on the first write that changes nothing', async () => {
    const created = (await client.post(STATES, object('states', 'b', {}))).body;
    expect(created.status).toEqual({ p: 'd' });
    const first = (await client.patch(`${STATES}/b/status`, {})).body;
    const second = (await client.patch(`${STATES}/b/status`, {})).body;
    expect(first.metadata.resourceVersion).not.toBe(created.metadata.resourceVersion);
    expect(second.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
  });

  it('K-1: stores the phase of a new claim on the first write that changes nothing', async () => {
    const claims = '/api/v1/namespaces/default/persistentvolumeclaims';
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
    const created = (await client.post(claims, { metadata: { name: 'a' }, spec })).body;
    const first = (await client.patch(`${claims}/a`, {})).body;
    expect(first.metadata.resourceVersion).not.toBe(created.metadata.resourceVersion);
    expect((await client.patch(`${claims}/a`, {})).body.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
  });

  it('K-11: judges a status on its own, with paths that begin in it', async () => {
    await client.post(STATES, object('states', 'c', {}));
    const { status, body } = await client.patch(`${STATES}/c/status`, { status: { q: ['x'] } });
    expect([status, body.message]).toEqual([
      422,
      expect.stringContaining('status.q[0]: Invalid value: "string": q[0] in body must be of type integer: "string"'),
    ]);
  });

  it('K-13: a status of the wrong type that a create drops leaves the object without managers', async () => {
    const { status, body } = await client.post(STATES, object('states', 'd', { status: true }));
    expect([status, body.status, body.metadata.managedFields]).toEqual([201, { p: 'd' }, undefined]);
  });

  it.each([
    ['/apis/discovery.k8s.io/v1/namespaces/default/endpointslices', { addressType: 'IPv4' }, { ports: [] }, 'f:ports'],
    ['/api/v1/namespaces/default/limitranges', {}, { spec: { limits: [] } }, 'f:limits'],
    ['/apis/rbac.authorization.k8s.io/v1/clusterroles', {}, { rules: [] }, 'f:rules'],
  ])(
    'K-13: a manager owns the empty list that it sends to %s, which is stored as null',
    async (path, base, sent, field) => {
      const created = await client.post(path, { metadata: { name: 'e' }, ...base, ...sent });
      const [list] = field.split(':').slice(1);
      expect([created.status, created.text]).toEqual([201, expect.stringContaining(`"${list}":null`)]);
      expect(JSON.stringify(fieldsOf(created.body))).toContain(`"${field}":{}`);
      const again = await client.patch(`${path}/e`, sent);
      expect(again.body.metadata.resourceVersion).toBe(created.body.metadata.resourceVersion);
    },
  );

  it('K-16: lists the causes of a changed volume twice, and shows an empty list that was sent', async () => {
    const spec = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/a' } };
    await client.post('/api/v1/persistentvolumes', { metadata: { name: 'v' }, spec });
    const changed = (await client.patch('/api/v1/persistentvolumes/v', { spec: { accessModes: [] } })).body;
    expect(changed.message).toContain('is invalid: spec.accessModes: Required value');
    expect(changed.details.causes.map(({ field }) => field)).toEqual(['spec.accessModes', 'spec.accessModes']);
    const refused = await client.post('/api/v1/persistentvolumes', {
      metadata: { name: 'w' },
      spec: { ...spec, capacity: {} },
    });
    expect(refused.body.message).toContain('spec.capacity: Unsupported value: {}: supported values: "storage"');
    const range = { metadata: { name: 'r' }, spec: { cidrs: ['10.9.0.0/24'] } };
    await client.post('/apis/networking.k8s.io/v1/servicecidrs', range);
    const { body } = await client.patch('/apis/networking.k8s.io/v1/servicecidrs/r', { spec: { cidrs: [] } });
    expect(body.message).toContain('spec.cidrs: Invalid value: []: field is immutable');
  });
});
