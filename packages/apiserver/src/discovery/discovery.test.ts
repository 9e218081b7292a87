import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ControlPlane } from '../control-plane.fixture.ts';
import { createControlPlane } from '../control-plane.fixture.ts';
import { CONFIG_MAPS, configMap, RawClient } from '../raw-client.fixture.ts';

describe('discovery and formats', () => {
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

  it('K-17: returns its version and health', async () => {
    expect((await client.get('/version')).body).toMatchObject({
      major: '1',
      gitVersion: expect.stringMatching(/^v1\.\d+\.\d+/),
    });
    for (const path of ['/healthz', '/livez', '/readyz']) expect((await client.get(path)).text).toBe('ok');
  });

  it('K-17: lists groups, versions and resources', async () => {
    expect((await client.get('/api')).body).toMatchObject({ kind: 'APIVersions', versions: ['v1'] });
    expect((await client.get('/apis')).body).toHaveProperty(
      'groups',
      expect.arrayContaining([
        {
          name: 'apps',
          versions: [{ groupVersion: 'apps/v1', version: 'v1' }],
          preferredVersion: { groupVersion: 'apps/v1', version: 'v1' },
        },
      ]),
    );
    expect((await client.get('/apis/apps')).body).toMatchObject({ kind: 'APIGroup', name: 'apps' });
    const core = (await client.get('/api/v1')).body;
    expect(core).toMatchObject({ kind: 'APIResourceList', groupVersion: 'v1' });
    const configMaps = {
      name: 'configmaps',
      singularName: 'configmap',
      namespaced: true,
      kind: 'ConfigMap',
      shortNames: ['cm'],
    };
    expect(core).toHaveProperty('resources', expect.arrayContaining([expect.objectContaining(configMaps)]));
    const status = { name: 'deployments/status', verbs: ['get', 'patch', 'update'] };
    expect((await client.get('/apis/apps/v1')).body).toHaveProperty(
      'resources',
      expect.arrayContaining([expect.objectContaining(status)]),
    );
    expect((await client.get('/apis/nowhere')).status).toBe(404);
  });

  it('K-17: returns aggregated discovery to clients that accept it', async () => {
    const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json';
    const { headers, body } = await client.get('/apis', { accept });
    expect(headers['content-type']).toBe('application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList');
    expect(body).toMatchObject({ kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2' });
    const resource = (name: string, kind: string): object =>
      expect.objectContaining({ resource: name, scope: 'Namespaced', responseKind: { group: '', version: '', kind } });
    const apps = body.items.find(({ metadata }) => metadata.name === 'apps');
    expect(apps).toHaveProperty(
      'versions[0].resources',
      expect.arrayContaining([resource('deployments', 'Deployment')]),
    );
    const core = (await client.get('/api', { accept })).body;
    expect(core).toHaveProperty(
      'items[0].versions[0].resources',
      expect.arrayContaining([resource('secrets', 'Secret')]),
    );
  });

  it('K-17: serves OpenAPI documents with every kind', async () => {
    const v2 = (await client.get('/openapi/v2')).body;
    expect(v2).toHaveProperty('swagger', '2.0');
    expect(v2).toHaveProperty(['definitions', 'io.k8s.api.core.v1.ConfigMap']);
    const index: unknown = JSON.parse((await client.get('/openapi/v3')).text);
    const serverRelativeURL = expect.stringMatching(/^\/openapi\/v3\/apis\/apps\/v1\?hash=\w+$/);
    expect(index).toHaveProperty(['paths', 'apis/apps/v1'], { serverRelativeURL });
    const document = (await client.get('/openapi/v3/apis/apps/v1')).body;
    expect(document).toHaveProperty('openapi', '3.0.0');
    expect(document).toHaveProperty(['paths', '/apis/apps/v1/namespaces/{namespace}/deployments/{name}', 'patch']);
  });

  it('K-17: OpenAPI documents contain the fields of a kind and their patch strategies', async () => {
    const document = (await client.get('/openapi/v3/api/v1')).body;
    const schemas = 'components.schemas'.split('.');
    expect(document).toHaveProperty([...schemas, 'io.k8s.api.core.v1.Pod', 'properties', 'spec'], {
      $ref: '#/components/schemas/io.k8s.api.PodSpec',
    });
    expect(document).toHaveProperty([...schemas, 'io.k8s.api.PodSpec', 'properties', 'volumes'], {
      type: 'array',
      items: { $ref: '#/components/schemas/io.k8s.api.Volume' },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      'x-kubernetes-patch-strategy': 'merge,retainKeys',
      'x-kubernetes-patch-merge-key': 'name',
    });
    const references = JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g);
    for (const [, name = ''] of references) expect(document).toHaveProperty([...schemas, name]);
  });

  it('K-18: returns tables for get, list and watch', async () => {
    await client.post(CONFIG_MAPS, configMap('row', { x: '1', y: '2' }));
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
    const selected = `${CONFIG_MAPS}?fieldSelector=metadata.name%3Drow`;
    const list = (await client.get(selected, { accept })).body;
    expect(list).toMatchObject({ kind: 'Table', apiVersion: 'meta.k8s.io/v1' });
    expect(list.columnDefinitions.map(({ name }) => name)).toEqual(['Name', 'Data', 'Age']);
    expect(list.rows[0]).toMatchObject({
      cells: ['row', 2, expect.stringMatching(/^\d+s$/)],
      object: { kind: 'PartialObjectMetadata', metadata: { name: 'row' } },
    });
    expect((await client.get(`${CONFIG_MAPS}/row?includeObject=Object`, { accept })).body.rows[0]?.object.data).toEqual(
      {
        x: '1',
        y: '2',
      },
    );
    const watch = await client.watch(`${selected}&watch=true`, { accept });
    expect(await watch.next()).toMatchObject({
      type: 'ADDED',
      object: { kind: 'Table', columnDefinitions: expect.anything() },
    });
    await client.patch(`${CONFIG_MAPS}/row`, { data: { y: null } });
    const second = await watch.next();
    expect(second?.object.rows[0]?.cells[1]).toBe(1);
    expect(second?.object.columnDefinitions).toBeNull();
    watch.close();
  });

  it('K-18: returns metadata only for get, list and watch', async () => {
    await client.post(CONFIG_MAPS, configMap('meta', { x: '1' }));
    const as = (kind: string): Record<string, string> => ({ accept: `application/json;as=${kind};g=meta.k8s.io;v=v1` });
    const one = (await client.get(`${CONFIG_MAPS}/meta`, as('PartialObjectMetadata'))).body;
    expect(Object.keys(one)).toEqual(['kind', 'apiVersion', 'metadata']);
    const list = (await client.get(CONFIG_MAPS, as('PartialObjectMetadataList'))).body;
    expect(list.kind).toBe('PartialObjectMetadataList');
    expect(list.items).toContainEqual(one);
    const watch = await client.watch(
      `${CONFIG_MAPS}?watch=true&fieldSelector=metadata.name%3Dmeta`,
      as('PartialObjectMetadata'),
    );
    expect(await watch.next()).toEqual({ type: 'ADDED', object: one });
    watch.close();
  });

  it('K-18: refuses an unsupported media type', async () => {
    const { status, body } = await client.get(CONFIG_MAPS, { accept: 'application/xml' });
    expect(status).toBe(406);
    expect(body.reason).toBe('NotAcceptable');
  });
});
