import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ApiServer } from '../api-server.ts';
import { ControlPlane, createControlPlane } from '../control-plane.fixture.ts';
import { RawClient } from '../raw-client.fixture.ts';
import { deny, WebhookServer } from '../webhooks/webhook-server.fixture.ts';

const SERVICES = '/api/v1/namespaces/default/services';
const ADDRESSES = '/apis/networking.k8s.io/v1/ipaddresses';

const service = (name: string, clusterIP?: string): object => ({
  metadata: { name },
  spec: { clusterIP, ports: [{ port: 80 }] },
});

/** Returns the addresses of the Services in `default` that have IPAddresses, by the name of the Service. */
async function allocated(client: RawClient): Promise<Record<string, string>> {
  const { items } = (await client.get(ADDRESSES)).body;
  const entries = items.map(({ metadata, spec }) => {
    const { parentRef } = spec as { readonly parentRef: { readonly name: string } };
    return [parentRef.name, metadata.name] as const;
  });
  return Object.fromEntries(entries);
}

describe('IPAddresses of Services', () => {
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

  it('K-28: exist while Services have the address that the server chose', async () => {
    const { body } = await client.post(SERVICES, service('a'));
    const { clusterIP } = body.spec as { readonly clusterIP: string };
    expect(await allocated(client)).toEqual({ kubernetes: '10.0.0.1', a: clusterIP });

    const external = { type: 'ExternalName', externalName: 'a.example.com', clusterIP: null, clusterIPs: null };
    await client.patch(`${SERVICES}/a`, { spec: external });
    expect(await allocated(client)).toEqual({ kubernetes: '10.0.0.1' });

    await client.patch(`${SERVICES}/a`, { spec: { type: 'ClusterIP', externalName: null, clusterIP: '10.0.0.9' } });
    expect(await allocated(client)).toEqual({ kubernetes: '10.0.0.1', a: '10.0.0.9' });

    await client.delete(`${SERVICES}/a`);
    expect(await allocated(client)).toEqual({ kubernetes: '10.0.0.1' });
  });

  it('K-28: a new Service gets an address after the last chosen one, so that the search is short', async () => {
    const addressOf = async (name: string): Promise<number> => {
      const { body } = await client.post(SERVICES, service(name));
      await client.delete(`${SERVICES}/${name}`);
      return Number((body.spec as { readonly clusterIP: string }).clusterIP.replace('10.0.0.', ''));
    };
    const first = await addressOf('first');
    expect(await addressOf('second')).toBe(first + 1);
  });

  it('K-28: are deleted with the Services of a namespace', async () => {
    await client.post('/api/v1/namespaces', { metadata: { name: 'short' } });
    await client.post('/api/v1/namespaces/short/services', service('b', '10.0.0.8'));
    const watch = await client.watch(`${ADDRESSES}?watch=true&fieldSelector=metadata.name%3D10.0.0.8`);
    expect((await watch.next())?.type).toBe('ADDED');
    await client.delete('/api/v1/namespaces/short');
    expect((await watch.next())?.type).toBe('DELETED');
    watch.close();
  });

  it('K-28: are deleted again if a webhook denies the Service', async () => {
    await using webhooks = await WebhookServer.start();
    let seen: Record<string, string> | undefined;
    const clientConfig = webhooks.serve('/late', async (review, response) => {
      seen = await allocated(client);
      return deny('no')(review, response);
    });
    const rules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['services'] }];
    const webhook = { name: 'late.example.com', clientConfig, rules, sideEffects: 'None' };
    const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
    await client.post(path, {
      metadata: { name: 'late' },
      webhooks: [{ ...webhook, admissionReviewVersions: ['v1'] }],
    });
    expect((await client.post(SERVICES, service('c', '10.0.0.7'))).status).toBe(400);
    await client.delete(`${path}/late`);
    expect(seen).toEqual({ kubernetes: '10.0.0.1', c: '10.0.0.7' });
    expect(await allocated(client)).toEqual({ kubernetes: '10.0.0.1' });
  });
});

describe('IPAddresses of a cluster that is loaded from a journal', () => {
  let directory: string;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'mcr-addresses-'));
  });
  afterEach(() => {
    rmSync(directory, { recursive: true });
  });

  async function withCluster<T>(use: (client: RawClient) => Promise<T>): Promise<T> {
    const options = { historyLimit: 10_000, bookmarkInterval: 60_000, featureGates: {}, controllers: true };
    const server = await ApiServer.start({ ...options, dataDir: directory });
    await using plane = await ControlPlane.create(server, { name: 'hub', port: 0, crds: [] });
    using client = new RawClient(plane.config);
    return await use(client);
  }

  it('K-28: are those of the Services, also if the journal lacks some or has others', async () => {
    await withCluster(async (client) => {
      await client.post(SERVICES, service('kept', '10.0.0.5'));
      await client.post(SERVICES, service('lost', '10.0.0.6'));
      await client.post(ADDRESSES, {
        metadata: { name: '10.0.0.7' },
        spec: { parentRef: { resource: 'services', namespace: 'default', name: 'of-a-client' } },
      });
    });
    const path = join(directory, 'hub.ndjson');
    const lines = readFileSync(path, 'utf8').split('\n');
    const isOf = (line: string, resource: string, name: string): boolean =>
      line.includes(`"resource":"${resource}","fields"`) && line.includes(`"name":"${name}"`);
    const others = lines.filter(
      (line) => !isOf(line, 'ipaddresses.networking.k8s.io', '10.0.0.5') && !isOf(line, 'services', 'lost'),
    );
    expect(others).toHaveLength(lines.length - 2);
    writeFileSync(path, others.join('\n'));
    await withCluster(async (client) => {
      expect(await allocated(client)).toEqual({ kubernetes: '10.0.0.1', kept: '10.0.0.5', 'of-a-client': '10.0.0.7' });
      expect((await client.post(SERVICES, service('other', '10.0.0.5'))).status).toBe(422);
      expect((await client.post(SERVICES, service('other', '10.0.0.6'))).status).toBe(201);
    });
  });
});
