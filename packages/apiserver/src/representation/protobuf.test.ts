import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ControlPlane } from '../control-plane.fixture.ts';
import { createControlPlane } from '../control-plane.fixture.ts';
import { codec, loadCodec, PROTOBUF } from '../protobuf/codec.ts';
import { decodeObject } from '../protobuf/envelope.ts';
import type { Body } from '../raw-client.fixture.ts';
import { CONFIG_MAPS, configMap, RawClient } from '../raw-client.fixture.ts';

const WIDGETS = '/apis/example.com/v1/namespaces/default/widgets';
const WIDGET_DEFINITION = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    names: { plural: 'widgets', kind: 'Widget' },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } },
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};
const METADATA = `${PROTOBUF};as=PartialObjectMetadata;g=meta.k8s.io;v=v1`;

describe('protobuf over HTTP', () => {
  let controlPlane: ControlPlane;
  let client: RawClient;

  beforeAll(async () => {
    await loadCodec();
    controlPlane = await createControlPlane({ crds: [WIDGET_DEFINITION] });
    client = new RawClient(controlPlane.config);
    await client.post(CONFIG_MAPS, configMap('settings', { key: 'value' }));
    await client.post(WIDGETS, {
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { name: 'one' },
      spec: { replicas: 2 },
    });
  });
  afterAll(async () => {
    client[Symbol.dispose]();
    await controlPlane.stop();
  });

  const get = async (
    path: string,
    accept: string,
  ): Promise<{ readonly code: number; readonly type: unknown; readonly object: Body }> => {
    const { status: code, headers, bytes, body } = await client.get(path, { accept });
    const type = headers['content-type'];
    return { code, type, object: type === PROTOBUF ? (decodeObject(bytes) as Body) : body };
  };
  const send = (method: string, path: string, object: { apiVersion: string; kind: string }) => {
    const { messages, encodeObject } = codec();
    const message = messages.ofKind(object.apiVersion, object.kind);
    const body = message && encodeObject(message, object, object);
    return client.request(method, path, { body, headers: { 'content-type': PROTOBUF, accept: PROTOBUF } });
  };

  it('K-23: an object is the same in protobuf and in JSON', async () => {
    const json = await client.get(`${CONFIG_MAPS}/settings`);
    expect(await get(`${CONFIG_MAPS}/settings`, PROTOBUF)).toEqual({ code: 200, type: PROTOBUF, object: json.body });
  });

  it('K-23: a list has its items, and metadata of the list', async () => {
    const { object } = await get(`${CONFIG_MAPS}?limit=1`, PROTOBUF);
    const json = await client.get(`${CONFIG_MAPS}?limit=1`);
    expect(object).toMatchObject({ kind: 'ConfigMapList', apiVersion: 'v1', metadata: json.body.metadata });
    expect(object.items.map(({ metadata }) => metadata.name)).toEqual(['settings']);
  });

  it('K-23: a large list is encoded in parts and compressed', async () => {
    await controlPlane.seed(
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'many' }, data: { key: 'eHh4eHh4eHh4eHh4eHh4eHh4' } },
      2_000,
    );
    const { headers, bytes } = await client.get('/api/v1/secrets', { accept: PROTOBUF, 'accept-encoding': 'gzip' });
    expect(headers['content-encoding']).toBe('gzip');
    expect((decodeObject(bytes) as Body).items).toHaveLength(2_000);
  });

  it('K-23: create, update, delete and their errors use protobuf', async () => {
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'written' }, data: { a: '1' } };
    const created = await send('POST', CONFIG_MAPS, object);
    expect([created.status, created.headers['content-type']]).toEqual([201, PROTOBUF]);
    const again = await send('POST', CONFIG_MAPS, object);
    expect([again.status, decodeObject(again.bytes)]).toEqual([
      409,
      {
        ...{ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', reason: 'AlreadyExists', code: 409 },
        message: 'configmaps "written" already exists',
        details: { name: 'written', kind: 'configmaps' },
      },
    ]);
    const updated = await send('PUT', `${CONFIG_MAPS}/written`, { ...object, ...{ data: { a: '2' } } });
    expect(decodeObject(updated.bytes)).toMatchObject({ data: { a: '2' } });
    const { uid } = (decodeObject(updated.bytes) as Body).metadata;
    const options = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid: 'other' } };
    expect((await send('DELETE', `${CONFIG_MAPS}/written`, options)).status).toBe(409);
    const deleted = await send('DELETE', `${CONFIG_MAPS}/written`, { ...options, ...{ preconditions: { uid } } });
    expect([deleted.status, decodeObject(deleted.bytes)]).toMatchObject([200, { kind: 'Status', status: 'Success' }]);
  });

  it('K-23: a malformed body is 400, a patch in protobuf is 415', async () => {
    const headers = { 'content-type': PROTOBUF };
    const malformed = await client.request('POST', CONFIG_MAPS, { body: '{}', headers });
    expect([malformed.status, malformed.body.message]).toEqual([
      400,
      'the object provided is unrecognized (must be of type ConfigMap): provided data does not appear to be a protobuf message, expected prefix [107 56 115 0] ({})',
    ]);
    expect((await client.request('PATCH', `${CONFIG_MAPS}/settings`, { body: '{}', headers })).status).toBe(415);
    expect((await client.request('POST', WIDGETS, { body: 'k8s\0', headers })).status).toBe(415);
  });

  it('K-23: a token request, a scale and a review are answered in protobuf', async () => {
    const account = '/api/v1/namespaces/default/serviceaccounts';
    await send('POST', account, { apiVersion: 'v1', kind: 'ServiceAccount', ...{ metadata: { name: 'robot' } } });
    const token = await send('POST', `${account}/robot/token`, {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      ...{ spec: { expirationSeconds: 900 } },
    });
    expect([token.status, decodeObject(token.bytes)]).toMatchObject([201, { spec: { expirationSeconds: 900 } }]);
    const review = await send('POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      ...{ spec: { resourceAttributes: { verb: 'get', resource: 'pods' } } },
    });
    expect([review.status, decodeObject(review.bytes)]).toMatchObject([201, { status: { allowed: true } }]);
    const { object } = await get(`${WIDGETS}/one/scale`, `${PROTOBUF},application/json`);
    expect(object).toMatchObject({ kind: 'Scale', spec: { replicas: 2 } });
    expect((await get(`${WIDGETS}/one/scale`, PROTOBUF)).code).toBe(406);
  });

  it('K-23: custom resources are JSON: only protobuf is not acceptable, but their metadata is', async () => {
    const strict = await get(`${WIDGETS}/one`, PROTOBUF);
    expect(strict).toMatchObject({ code: 406, type: PROTOBUF, object: { reason: 'NotAcceptable' } });
    expect(await get(`${WIDGETS}/one`, `${PROTOBUF},application/json`)).toMatchObject({
      code: 200,
      type: 'application/json',
    });
    expect(await get(`${WIDGETS}/none`, `${PROTOBUF},application/json`)).toMatchObject({ code: 404, type: PROTOBUF });
    expect((await get(`${WIDGETS}/one`, METADATA)).object).toMatchObject({
      kind: 'PartialObjectMetadata',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { name: 'one' },
    });
  });

  it.each([
    [`${PROTOBUF};q=0.5,application/json`, 'application/json'],
    [`*/*;q=0.1,${PROTOBUF}`, PROTOBUF],
    [`*/*,${PROTOBUF};q=0.5`, PROTOBUF],
    ['*/*', 'application/json'],
    [`text/plain,${PROTOBUF}`, PROTOBUF],
    [`${PROTOBUF};stream=watch`, PROTOBUF],
  ])('K-23: Accept: %s is answered with %s', async (accept, type) => {
    expect(await get(`${CONFIG_MAPS}/settings`, accept)).toMatchObject({ code: 200, type });
  });

  it.each([`${PROTOBUF};as=Table;g=meta.k8s.io;v=v1`, `${PROTOBUF};as=PartialObjectMetadata`, `${PROTOBUF};stream=x`])(
    'K-23: Accept: %s is 406, in JSON',
    async (accept) => {
      expect(await get(`${CONFIG_MAPS}/settings`, accept)).toMatchObject({ code: 406, type: 'application/json' });
    },
  );

  it('K-23: a watch sends frames with a length, bookmarks and errors included', async () => {
    const query = 'fieldSelector=metadata.name%3Dsettings&timeoutSeconds=1';
    const initial = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
    const path = `${CONFIG_MAPS}?watch=true&${query}&${initial}`;
    const { headers, bytes } = await client.get(path, { accept: PROTOBUF });
    expect(headers['content-type']).toBe(`${PROTOBUF};stream=watch`);
    expect(eventsOf(bytes)).toMatchObject([
      { type: 'ADDED', object: { kind: 'ConfigMap', metadata: { name: 'settings' }, data: { key: 'value' } } },
      { type: 'BOOKMARK', object: { metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } } } },
    ]);
    expect(eventsOf((await client.get(path, { accept: METADATA })).bytes)).toMatchObject([
      { type: 'ADDED', object: { kind: 'PartialObjectMetadata', metadata: { name: 'settings' } } },
      { type: 'BOOKMARK', object: { kind: 'PartialObjectMetadata' } },
    ]);
    await controlPlane.compact();
    const expired = await client.get(`${CONFIG_MAPS}?watch=true&resourceVersion=1`, { accept: PROTOBUF });
    expect(eventsOf(expired.bytes)).toMatchObject([
      { type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } },
    ]);
  });

  it('K-23: OpenAPI v2 is available in protobuf, with the extensions that kubectl reads', async () => {
    const accept = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
    const { headers, bytes } = await client.get('/openapi/v2', { accept });
    expect(headers['content-type']).toBe('application/com.github.proto-openapi.spec.v2.v1.0+protobuf');
    // Field 1, `swagger`, and a definition with its extension as YAML.
    expect(bytes.subarray(0, 5).toString()).toBe('\n\x032.0');
    expect(bytes.includes('[{"group":"apps","version":"v1","kind":"Deployment"}]\n')).toBe(true);
    const json = await client.get('/openapi/v2', { accept: `application/json,${accept};q=0.5` });
    expect(json.headers['content-type']).toBe('application/json');
  });

  it('K-23: discovery documents are available in protobuf', async () => {
    expect((await get('/apis', PROTOBUF)).object).toMatchObject({ kind: 'APIGroupList' });
    expect((await get('/apis/apps/v1', PROTOBUF)).object).toMatchObject({ groupVersion: 'apps/v1' });
    const parameters = 'g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
    const { headers, bytes } = await client.get('/apis', { accept: `${PROTOBUF};${parameters}` });
    expect(headers).toMatchObject({ 'content-type': `${PROTOBUF};${parameters}`, vary: 'Accept' });
    expect(decodeObject(bytes)).toMatchObject({ kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2' });
  });
});

/** Decodes the frames of a watch. */
function eventsOf(stream: Buffer): unknown[] {
  const events: unknown[] = [];
  for (let at = 0; at < stream.length;) {
    const end = at + 4 + stream.readUInt32BE(at);
    const frame = stream.subarray(at + 4, end);
    const typeLength = frame[1] ?? 0;
    const object = frame.indexOf('k8s\0');
    events.push({ type: frame.toString('utf8', 2, 2 + typeLength), object: decodeObject(frame.subarray(object)) });
    at = end;
  }
  return events;
}
