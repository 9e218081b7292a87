import { describe, expect, it } from '@jest/globals';
import {
  ConfigMap,
  Deployment,
  Eviction,
  Namespace,
  Pod,
  Scale,
  ServiceAccount,
  TokenRequest,
} from '../kinds/builtin.ts';
import { defineKind } from '../kinds/kind.ts';
import type { KubernetesObject } from '../kinds/object.ts';
import { clientRespondingWith } from './respond-with.fixture.ts';

const key = { namespace: 'ns', name: 'a' };
const metadata = { ...key, uid: 'u', resourceVersion: '7', creationTimestamp: '2026-01-01T00:00:00Z' };
const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata };

describe('apply', () => {
  it('K-13: sends the fields of a manager, and takes over fields of others only with force', async () => {
    const target = clientRespondingWith({ body: object });
    const { client, requests } = target;
    const configuration = { metadata: { ...key, labels: { app: 'cart' } }, spec: { template: { spec: {} } } };
    await client.apply(Deployment, configuration, { fieldManager: 'me' });
    await client.apply(Deployment, configuration, {
      fieldManager: 'me',
      force: true,
      dryRun: true,
      fieldValidation: 'Strict',
    });
    await client.status.apply(Deployment, { metadata: key, status: { replicas: 1 } }, { fieldManager: 'me' });
    expect(requests[0]?.headers?.['content-type']).toBe('application/apply-patch+yaml');
    expect(JSON.parse(requests[0]?.body ?? '')).toEqual({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      ...configuration,
    });
    const path = 'PATCH /apis/apps/v1/namespaces/ns/deployments/a';
    expect(target.requestLines).toEqual([
      `${path}?fieldManager=me`,
      `${path}?fieldManager=me&force=true&dryRun=All&fieldValidation=Strict`,
      `${path}/status?fieldManager=me`,
    ]);
  });

  it('K-13: refuses an apply without a field manager', async () => {
    const target = clientRespondingWith({ body: object });
    const { client } = target;
    const nobody = 'option "fieldManager": expected the name of the owner of the applied fields, found undefined';
    await expect(client.apply(ConfigMap, { metadata: key })).rejects.toThrow(nobody);
    await expect(client.status.apply(ConfigMap, { metadata: key }, {})).rejects.toThrow(nobody);
    await expect(client.subresource('scale', Scale).apply(Deployment, key, { metadata: key })).rejects.toThrow(nobody);
    await expect(client.apply(ConfigMap, { ...object, kind: 'Secret' }, { fieldManager: 'me' })).rejects.toThrow(
      'kind is "Secret": expected an object of v1 ConfigMap',
    );
    expect(target.requestLines).toEqual([]);
  });
});

describe('deleteCollection', () => {
  it('K-14: deletes selected objects in a namespace or of a cluster-scoped kind', async () => {
    const target = clientRespondingWith({ body: { metadata: {}, items: [] } });
    const { client, requests } = target;
    const options = {
      labelSelector: 'app=cart',
      fieldSelector: 'metadata.name!=a',
      propagationPolicy: 'Orphan',
    } as const;
    await client.deleteCollection(ConfigMap, { namespace: 'ns', ...options, dryRun: true });
    await client.deleteCollection(Namespace);
    expect(target.requestLines).toEqual([
      'DELETE /api/v1/namespaces/ns/configmaps?labelSelector=app%3Dcart&fieldSelector=metadata.name%21%3Da',
      'DELETE /api/v1/namespaces',
    ]);
    expect(JSON.parse(requests[0]?.body ?? '')).toEqual({
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      propagationPolicy: 'Orphan',
      dryRun: ['All'],
    });
  });

  it('K-14: requires a namespace for a namespaced kind', async () => {
    const target = clientRespondingWith({ body: {} });
    const { client } = target;
    await expect(client.deleteCollection(ConfigMap, { labelSelector: 'app=cart' })).rejects.toThrow(
      'v1 ConfigMap is namespaced: options.namespace is missing: set the namespace to delete from',
    );
    expect(target.requestLines).toEqual([]);
  });
});

describe('subresource', () => {
  const scale = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata, spec: { replicas: 2 } };

  it('is read and written at a path below its object', async () => {
    const target = clientRespondingWith({ body: scale });
    const { client, requests } = target;
    const scales = client.subresource('scale', Scale);
    expect(await scales.get(Deployment, key, { resourceVersion: '0' })).toEqual(scale);
    await scales.update(Deployment, key, scale, { dryRun: true });
    await scales.patch(Deployment, key, { spec: { replicas: 3 } }, 'merge', { fieldManager: 'me' });
    await scales.apply(Deployment, key, { metadata: key, spec: { replicas: 3 } }, { fieldManager: 'me', force: true });
    const path = '/apis/apps/v1/namespaces/ns/deployments/a/scale';
    expect(target.requestLines).toEqual([
      `GET ${path}?resourceVersion=0`,
      `PUT ${path}?dryRun=All`,
      `PATCH ${path}?fieldManager=me`,
      `PATCH ${path}?fieldManager=me&force=true`,
    ]);
    expect(JSON.parse(requests[3]?.body ?? '')).toMatchObject({ apiVersion: 'autoscaling/v1', kind: 'Scale' });
  });

  it('refuses a name that would change the path, before sending a request', async () => {
    const { client, requests } = clientRespondingWith({ body: scale });
    await expect(client.subresource('../b', Scale).get(Deployment, key)).rejects.toThrow(
      '"../b" is not a valid subresource',
    );
    expect(requests).toEqual([]);
  });

  it('create returns the response of the server', async () => {
    const status = { token: 't', expirationTimestamp: '2026-01-01T01:00:00Z' };
    const target = clientRespondingWith({ status: 201, body: { kind: 'TokenRequest', metadata: {}, status } });
    const { client } = target;
    const tokens = client.subresource('token', TokenRequest);
    const answer = await tokens.create(ServiceAccount, key, { metadata: {}, spec: { audiences: [] } });
    expect(answer.status).toEqual(status);
    expect(target.requestLines).toEqual(['POST /api/v1/namespaces/ns/serviceaccounts/a/token']);
  });

  it('create returns the body that was sent if the server answers with a Status', async () => {
    const target = clientRespondingWith({ status: 201, body: { kind: 'Status', status: 'Success' } });
    const { client } = target;
    expect(await client.subresource('eviction', Eviction).create(Pod, key, { metadata: key })).toEqual({
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: key,
    });
    expect(target.requestLines).toEqual(['POST /api/v1/namespaces/ns/pods/a/eviction']);
  });
});

describe('table', () => {
  const table = {
    kind: 'Table',
    metadata: { resourceVersion: '9' },
    columnDefinitions: [{ name: 'Name', type: 'string', format: 'name', description: '', priority: 0 }],
    rows: [{ cells: ['a'], object: { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata', metadata } }],
  };

  it('K-18: requests the columns and cells of the server', async () => {
    const target = clientRespondingWith({ body: table });
    const { client, requests } = target;
    const { columnDefinitions, rows } = await client.table(ConfigMap, {
      namespace: 'ns',
      limit: 5,
      includeObject: 'Metadata',
    });
    expect(columnDefinitions[0]?.name).toBe('Name');
    expect(rows[0]?.cells).toEqual(['a']);
    expect(rows[0]?.object?.metadata.name).toBe('a');
    expect(requests[0]?.headers?.['accept']).toBe('application/json;as=Table;g=meta.k8s.io;v=v1');
    expect(target.requestLines).toEqual(['GET /api/v1/namespaces/ns/configmaps?limit=5&includeObject=Metadata']);
  });

  it('reads null rows as an empty table, and refuses a response that is not a Table', async () => {
    const empty = clientRespondingWith({ body: { ...table, rows: null } }).client;
    expect((await empty.table(ConfigMap)).rows).toEqual([]);
    const { client } = clientRespondingWith({ body: { metadata: {}, items: [] } });
    await expect(client.table(ConfigMap)).rejects.toThrow('table of v1 ConfigMap: invalid response: ');
  });
});

describe('64-bit integers', () => {
  const Snapshot = defineKind<KubernetesObject & { spec: object; status: object }>({
    apiVersion: 'x.io/v1',
    kind: 'Snapshot',
    plural: 'snapshots',
    scope: 'Namespaced',
  });
  const fields = '"spec":{"size":9223372036854775807},"status":{"creationTime":1700000000123456789}';
  const body = `{"apiVersion":"x.io/v1","kind":"Snapshot","metadata":${JSON.stringify(metadata)},${fields}}`;

  it('K-32: a write sends the value that was read', async () => {
    const { client, requests } = clientRespondingWith({ body });
    const snapshot = await client.get(Snapshot, key);
    expect(snapshot.spec).toEqual({ size: 2n ** 63n - 1n });
    const changed = { ...structuredClone(snapshot), metadata: { ...snapshot.metadata, labels: { app: 'cart' } } };
    await client.update(Snapshot, changed);
    await client.status.update(Snapshot, changed);
    await client.patch(Snapshot, key, { spec: snapshot.spec }, 'merge');
    await client.status.patch(Snapshot, key, { status: snapshot.status }, 'merge');
    await client.apply(Snapshot, { metadata: key, spec: snapshot.spec }, { fieldManager: 'me' });
    const [, update, statusUpdate, patch, statusPatch, apply] = requests.map((request) => request.body ?? '');
    expect(update).toContain(fields);
    expect(statusUpdate).toContain(fields);
    expect(patch).toBe('{"spec":{"size":9223372036854775807}}');
    expect(statusPatch).toBe('{"status":{"creationTime":1700000000123456789}}');
    expect(apply).toContain('"spec":{"size":9223372036854775807}');
  });
});
