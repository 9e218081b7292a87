import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ControlPlane } from '../control-plane.fixture.ts';
import { createControlPlane } from '../control-plane.fixture.ts';
import { RawClient } from '../raw-client.fixture.ts';

const API_SERVICES = '/apis/apiregistration.k8s.io/v1/apiservices';
const AGGREGATED = { accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList' };

describe('APIServices of other servers', () => {
  let plane: ControlPlane;
  let client: RawClient;

  beforeAll(async () => {
    plane = await createControlPlane();
    client = new RawClient(plane.config);
    await install('metrics.example.com', 'v2', { groupPriorityMinimum: 100, versionPriority: 50 });
    await install('metrics.example.com', 'v1', { groupPriorityMinimum: 100, versionPriority: 100 });
    await install('high.example.com', 'v1', { groupPriorityMinimum: 17_850, versionPriority: 1 });
    const local = { groupPriorityMinimum: 10, versionPriority: 1, service: undefined };
    await install('local.example.com', 'v1', local);
  });
  afterAll(async () => {
    client[Symbol.dispose]();
    await plane.stop();
  });

  async function install(group: string, version: string, spec: object): Promise<void> {
    const { status } = await client.post(API_SERVICES, {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: `${version}.${group}` },
      spec: { group, version, service: { name: 'metrics', namespace: 'default' }, ...spec },
    });
    expect(status).toBe(201);
  }

  it('K-17: a version whose Service does not answer is 503', async () => {
    for (const path of ['', '/nodes', '/namespaces/default/pods/a']) {
      const { status, text, headers } = await client.get(`/apis/metrics.example.com/v1${path}`);
      expect([status, text, headers['content-type']]).toEqual([
        503,
        'service unavailable\n',
        'text/plain; charset=utf-8',
      ]);
    }
    expect((await client.get('/apis/metrics.example.com/v3/nodes')).status).toBe(404);
    expect((await client.get('/apis/local.example.com/v1/nodes')).status).toBe(404);
  });

  it('K-17: discovery lists their groups by priority, and their versions as stale', async () => {
    const { body } = await client.get('/apis/metrics.example.com');
    expect(body).toEqual({
      kind: 'APIGroup',
      apiVersion: 'v1',
      name: 'metrics.example.com',
      versions: ['v1', 'v2'].map((version) => ({ groupVersion: `metrics.example.com/${version}`, version })),
      preferredVersion: { groupVersion: 'metrics.example.com/v1', version: 'v1' },
    });
    const { groups } = (await client.get('/apis')).body as unknown as { groups: readonly { name: string }[] };
    const names = groups.map(({ name }) => name);
    expect(names.slice(0, 3)).toEqual(['apiregistration.k8s.io', 'high.example.com', 'apps']);
    expect(names.slice(-2)).toEqual(['metrics.example.com', 'local.example.com']);
    const { items } = (await client.get('/apis', AGGREGATED)).body;
    expect(items.at(-1)).toEqual({
      metadata: { name: 'metrics.example.com' },
      versions: ['v1', 'v2'].map((version) => ({ version, freshness: 'Stale' })),
    });
  });
});
