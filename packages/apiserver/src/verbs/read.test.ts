import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ControlPlane } from '../control-plane.fixture.ts';
import { createControlPlane } from '../control-plane.fixture.ts';
import type { Body } from '../raw-client.fixture.ts';
import { CONFIG_MAPS, configMap, RawClient } from '../raw-client.fixture.ts';

describe('reads', () => {
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

  /** Creates a namespace for one test and returns the path of its ConfigMaps. */
  async function room(name: string): Promise<string> {
    await client.post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    return `/api/v1/namespaces/${name}/configmaps`;
  }

  const names = (list: Body): string[] => list.items.map(({ metadata }) => metadata.name);

  it('K-1: every write gets the next version of one counter', async () => {
    const path = await room('counter');
    const first = (await client.post(path, configMap('a'))).body;
    const second = (
      await client.post('/api/v1/namespaces/counter/secrets', {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 's' },
      })
    ).body;
    const third = (await client.patch(`${path}/a`, { data: { x: '1' } })).body;
    const deleted = await client.watch(`${path}?watch=true&resourceVersion=${third.metadata.resourceVersion}`);
    await client.delete(`${path}/a`);
    const last = (await deleted.next())?.object;
    const versions = [first, second, third, last].map((body) => Number(body?.metadata.resourceVersion));
    expect(versions).toEqual([0, 1, 2, 3].map((step) => Number(first.metadata.resourceVersion) + step));
    deleted.close();
  });

  it('K-1: a write without a change keeps the version', async () => {
    const path = await room('unchanged');
    const created = (await client.post(path, configMap('a', { x: '1' }))).body;
    const updated = (await client.put(`${path}/a`, configMap('a', { x: '1' }))).body;
    const patched = (await client.patch(`${path}/a`, { data: { x: '1' } })).body;
    expect(updated).toEqual(created);
    expect(patched).toEqual(created);
  });

  it('K-2: reads at least a version, exactly a version, and any version', async () => {
    const path = await room('versions');
    const { resourceVersion } = (await client.post(path, configMap('a'))).body.metadata;
    await client.post(path, configMap('b'));
    const at = (query: string): Promise<string[]> => client.get(`${path}?${query}`).then(({ body }) => names(body));
    expect(await at('')).toEqual(['a', 'b']);
    expect(await at('resourceVersion=0')).toEqual(['a', 'b']);
    expect(await at(`resourceVersion=${resourceVersion}`)).toEqual(['a', 'b']);
    expect(await at(`resourceVersion=${resourceVersion}&resourceVersionMatch=NotOlderThan`)).toEqual(['a', 'b']);
    expect(await at(`resourceVersion=${resourceVersion}&resourceVersionMatch=Exact`)).toEqual(['a']);
  });

  it('K-2: refuses a match without a version, and a version with a continue token', async () => {
    const path = await room('refusals');
    await client.post(path, configMap('a'));
    await client.post(path, configMap('b'));
    const { body } = await client.get(`${path}?limit=1`);
    expect((await client.get(`${path}?resourceVersionMatch=Exact`)).status).toBe(422);
    expect((await client.get(`${path}?limit=1&continue=${body.metadata.continue}&resourceVersion=5`)).status).toBe(400);
    expect((await client.get(`${path}?continue=nonsense`)).status).toBe(400);
    expect((await client.get(`${path}?resourceVersion=abc`)).status).toBe(400);
  });

  it('K-2: a future version is 504 with a retry hint', async () => {
    const { status, headers, body } = await client.get(`${CONFIG_MAPS}?resourceVersion=1000000`);
    expect(status).toBe(504);
    expect(headers['retry-after']).toBe('1');
    expect(body).toMatchObject({
      reason: 'Timeout',
      message: expect.stringContaining('Too large resource version: 1000000, current: '),
      details: { retryAfterSeconds: 1, causes: [{ reason: 'ResourceVersionTooLarge' }] },
    });
  });

  it('K-2: waits for a version that is reached soon', async () => {
    const path = await room('soon');
    const { resourceVersion } = (await client.post(path, configMap('a'))).body.metadata;
    const waiting = client.get(`${path}?resourceVersion=${Number(resourceVersion) + 1}`);
    await client.post(path, configMap('b'));
    expect(names((await waiting).body)).toEqual(['a', 'b']);
  });

  it('K-3: all pages come from the snapshot of the first', async () => {
    const path = await room('pages');
    for (const name of ['a', 'b', 'c', 'd', 'e']) await client.post(path, configMap(name, { v: '1' }));
    const first = (await client.get(`${path}?limit=2`)).body;
    expect(first.metadata.remainingItemCount).toBe(3);
    await client.delete(`${path}/d`);
    await client.patch(`${path}/c`, { data: { v: '2' } });
    await client.post(path, configMap('cc'));
    const second = (await client.get(`${path}?limit=2&continue=${first.metadata.continue}`)).body;
    const third = (await client.get(`${path}?limit=2&continue=${second.metadata.continue}`)).body;
    expect([first, second, third].map(names)).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
    expect(second.items[0]?.data).toEqual({ v: '1' });
    expect(new Set([first, second, third].map(({ metadata }) => metadata.resourceVersion)).size).toBe(1);
    expect(second.metadata.remainingItemCount).toBe(1);
    expect(third.metadata).not.toHaveProperty('continue');
  });

  it('K-3: returns no count of remaining items with a selector', async () => {
    const path = await room('selected-pages');
    for (const name of ['a', 'b', 'c']) await client.post(path, configMap(name, {}, { labels: { app: 'x' } }));
    const { body } = await client.get(`${path}?limit=1&labelSelector=app%3Dx`);
    expect(body.metadata.continue).toBeDefined();
    expect(body.metadata).not.toHaveProperty('remainingItemCount');
  });

  it('K-3: an expired token is 410, with a token for an inconsistent continuation', async () => {
    const path = await room('expired');
    for (const name of ['a', 'b', 'c']) await client.post(path, configMap(name));
    const first = (await client.get(`${path}?limit=1`)).body;
    await client.post(path, configMap('d'));
    await plane.compact();
    const expired = await client.get(`${path}?limit=1&continue=${first.metadata.continue}`);
    expect(expired.status).toBe(410);
    expect(expired.body.reason).toBe('Expired');
    const rest = await client.get(`${path}?continue=${expired.body.metadata.continue}`);
    expect(names(rest.body)).toEqual(['b', 'c', 'd']);
  });

  it('K-4: selects by labels, in both forms, and by fields', async () => {
    const path = await room('selectors');
    await client.post(path, configMap('a', {}, { labels: { app: 'x', tier: 'web' } }));
    await client.post(path, configMap('b', {}, { labels: { app: 'y' } }));
    await client.post(path, configMap('c'));
    const by = (query: string): Promise<string[]> => client.get(`${path}?${query}`).then(({ body }) => names(body));
    expect(await by('labelSelector=app%3Dx')).toEqual(['a']);
    expect(await by('labelSelector=app!%3Dx')).toEqual(['b', 'c']);
    expect(await by(`labelSelector=${encodeURIComponent('app in (x,y),tier')}`)).toEqual(['a']);
    expect(await by(`labelSelector=${encodeURIComponent('!app')}`)).toEqual(['c']);
    expect(await by('fieldSelector=metadata.name%3Db')).toEqual(['b']);
    expect(await by('fieldSelector=metadata.name!%3Db')).toEqual(['a', 'c']);
    expect(names((await client.get('/api/v1/configmaps?fieldSelector=metadata.namespace%3Dselectors')).body)).toEqual([
      'a',
      'b',
      'c',
    ]);
  });

  it('K-4: selects by the fields of a kind, and refuses others', async () => {
    const secrets = '/api/v1/namespaces/default/secrets';
    await client.post(secrets, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'plain' } });
    await client.post(secrets, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'tls' },
      type: 'example.com/tls',
    });
    expect(names((await client.get(`${secrets}?fieldSelector=type%3DOpaque`)).body)).toEqual(['plain']);
    const refused = await client.get(`${secrets}?fieldSelector=data.x%3Dy`);
    expect(refused.status).toBe(400);
    expect(refused.body.message).toBe('field label not supported: data.x');
    expect((await client.get(`${secrets}?labelSelector=a%3D%3D%3Db`)).status).toBe(400);
  });

  it('K-4: selects events by the field names of the group that is asked', async () => {
    const created = await client.post('/apis/events.k8s.io/v1/namespaces/default/events', {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name: 'danced' },
      regarding: { kind: 'Namespace', name: 'default', namespace: 'default' },
      eventTime: '2026-01-01T00:00:00.000000Z',
      reportingController: 'band',
      reportingInstance: 'band-1',
      type: 'Warning',
      reason: 'Danced',
      action: 'dance',
    });
    expect(created.status).toBe(201);
    const list = async (path: string, selector: string) =>
      (await client.get(`${path}?fieldSelector=${encodeURIComponent(selector)}`)).body;
    const [core, events] = ['/api/v1/events', '/apis/events.k8s.io/v1/events'];
    expect(names(await list(events, 'regarding.name=default,reportingController=band'))).toEqual(['danced']);
    expect(names(await list(core, 'involvedObject.name=default,source=band'))).toEqual(['danced']);
    expect((await list(events, 'involvedObject.name=default')).message).toBe(
      'field label not supported: involvedObject.name',
    );
    expect((await list(core, 'regarding.name=default')).message).toBe('field label not supported: regarding.name');
  });

  it('omits kind and apiVersion in the list items of built-in kinds, as a real server does', async () => {
    const path = await room('items');
    await client.post(path, configMap('a', { x: '1' }));
    const { body } = await client.get(path);
    expect(body).toMatchObject({ kind: 'ConfigMapList', apiVersion: 'v1' });
    expect(Object.keys(body.items[0] ?? {})).toEqual(['metadata', 'data']);
  });

  it('K-18: compresses a large list for clients that accept it, with the same content', async () => {
    const path = await room('large');
    for (let index = 0; index < 20; index++)
      await client.post(path, configMap(`c${index}`, { text: 'x'.repeat(50_000) }));
    const plain = await client.get(path);
    const packed = await client.get(path, { 'accept-encoding': 'gzip' });
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(packed.headers['content-encoding']).toBe('gzip');
    expect(plain.body.items).toHaveLength(20);
    expect(packed.body).toEqual(plain.body);
  });
});
