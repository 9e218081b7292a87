import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ApiClient, ClusterConfig } from '@mcr/client';
import { ConfigMap, createClient, EventsV1Event, Lease, partialMetadata, Secret, silentLogger } from '@mcr/client';
import type { ControlPlane } from '@mcr/envtest';
import { createControlPlane } from '@mcr/envtest';
import type { ClusterOptions } from '../fleet/cluster/cluster-options.ts';
import { InMemoryProvider } from '../provider/in-memory-provider.ts';
import { BaseProvider } from '../provider/base-provider.ts';
import { eventually } from '../testing/eventually.ts';
import type { ManagerOptions } from './manager-options.ts';
import { createManager } from './create-manager.ts';
import type { Manager } from './manager.ts';

const key = { namespace: 'default', name: 'cart' };
const draft = { metadata: key, data: { colour: 'blue' } };

describe('client options of a manager', () => {
  let controlPlane: ControlPlane;
  let direct: ApiClient;
  let end: AbortController;
  let running: Promise<unknown>[];

  beforeAll(async () => {
    controlPlane = await createControlPlane();
    direct = createClient(controlPlane.config);
  });
  afterAll(async () => {
    await direct.close();
    await controlPlane.stop();
  });

  beforeEach(() => {
    end = new AbortController();
    running = [];
  });
  afterEach(async () => {
    end.abort();
    await Promise.all(running);
    await direct.deleteCollection(ConfigMap, { namespace: 'default' });
  });

  const started = async (options: ManagerOptions): Promise<Manager> => {
    const { config } = controlPlane;
    const manager = await createManager({ config, logger: silentLogger, metrics: { bindAddress: '0' }, ...options });
    running.push(manager.start(end.signal));
    return manager;
  };

  /** A cluster created by a provider of this manager. */
  const memberOf = async (
    manager: Manager,
    { config = controlPlane.config, ...clusterOptions }: ClusterOptions & { config?: ClusterConfig } = {},
  ) => {
    class TestProvider extends BaseProvider {
      protected async discover(): Promise<void> {
        this.clusters.set('eu-1', { digest: '1', config: () => config, info: {} });
      }
    }
    const provider = new TestProvider({ clusterOptions });
    await provider.setupWithManager(manager);
    running.push(provider.run(manager, end.signal));
    return eventually(() => provider.get('eu-1'));
  };

  /** An API server that answers each request with the same object, and records writes. */
  const recordingServer = async () => {
    const writes: string[] = [];
    const answer = { major: '1', minor: '35', gitVersion: 'v1.35.0', metadata: { uid: '1' } };
    const server = createServer((request, response) => {
      if (request.method !== 'GET') writes.push(`${request.method ?? ''} ${request.url ?? ''}`);
      request.resume().once('end', () => response.end(JSON.stringify(answer)));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    end.signal.addEventListener('abort', () => server.close().closeAllConnections());
    const { port } = server.address() as AddressInfo;
    return { writes, config: { server: `http://127.0.0.1:${port}` } };
  };

  it('FP-6: sets the field manager of writes to the local cluster and to clusters of the provider', async () => {
    const { writes, config } = await recordingServer();
    const manager = await started({ config, fieldManager: 'cart' });
    const { client: hub } = manager.localManager.cluster;
    const { client } = await memberOf(manager, { config });
    await hub.create(ConfigMap, draft);
    await hub.status.patch(ConfigMap, key, {}, 'merge');
    await client.apply(ConfigMap, draft);
    await client.patch(ConfigMap, key, {}, 'merge', { fieldManager: 'named' });
    const path = '/api/v1/namespaces/default/configmaps';
    expect(writes).toEqual([
      `POST ${path}?fieldManager=cart`,
      `PATCH ${path}/cart/status?fieldManager=cart`,
      `PATCH ${path}/cart?fieldManager=cart`,
      `PATCH ${path}/cart?fieldManager=named`,
    ]);
  });

  it("FP-6: a provider's clusterOptions override the manager's", async () => {
    const { writes, config } = await recordingServer();
    const manager = await started({ config, dryRun: true, fieldManager: 'manager' });
    const { client } = await memberOf(manager, { config, dryRun: false, fieldManager: 'provider' });
    await client.create(ConfigMap, draft);
    expect(writes).toEqual(['POST /api/v1/namespaces/default/configmaps?fieldManager=provider']);
  });

  it('FP-6: sends the field validation option of the manager', async () => {
    const { client } = (await started({ fieldValidation: 'Strict' })).localManager.cluster;
    const misspelled = { ...draft, dta: { a: '1' } };
    await expect(client.create(ConfigMap, misspelled)).rejects.toThrow('unknown field "dta"');
    const accepted = await client.create(ConfigMap, misspelled, { fieldValidation: 'Ignore' });
    expect(accepted.metadata).toMatchObject(key);
  });

  it('FP-6: a dry run stores neither objects nor events, but still writes the Lease of leader election', async () => {
    const manager = await started({
      dryRun: true,
      readYourWrites: true,
      leaderElection: { id: 'dry', namespace: 'default' },
    });
    await manager.elected;
    expect((await direct.get(Lease, { namespace: 'default', name: 'dry' })).spec?.holderIdentity).toBeDefined();

    const { cluster } = manager.localManager;
    const created = await cluster.client.create(ConfigMap, draft);
    expect(created.metadata.uid).toBeDefined();
    expect(await cluster.client.find(ConfigMap, key)).toBeUndefined();
    cluster.eventRecorder('cart-controller').event(created, { type: 'Normal', reason: 'Created', note: 'made' });
    end.abort();
    await Promise.all(running);
    expect(await direct.find(ConfigMap, key)).toBeUndefined();
    expect((await direct.list(EventsV1Event, { namespace: 'default' })).items).toEqual([]);
  });

  it('FP-6: reads its own writes', async () => {
    const { client } = (await started({ readYourWrites: true })).localManager.cluster;
    await client.list(ConfigMap);
    for (let count = 0; count < 20; count += 1) {
      await client.apply(ConfigMap, { ...draft, data: { count: `${count}` } }, { fieldManager: 'test', force: true });
      expect((await client.find(ConfigMap, key))?.data).toEqual({ count: `${count}` });
    }
  });

  it('FP-6: clusters of the provider read their own writes, validate fields and do dry runs like the local cluster', async () => {
    const strict = await memberOf(await started({ readYourWrites: true, fieldValidation: 'Strict' }));
    const misspelled = { ...draft, dta: { a: '1' } };
    await expect(strict.client.create(ConfigMap, misspelled)).rejects.toThrow('unknown field "dta"');
    await strict.client.create(ConfigMap, draft);
    await strict.client.list(ConfigMap);
    for (let count = 0; count < 20; count += 1) {
      await strict.client.patch(ConfigMap, key, { data: { count: `${count}` } }, 'merge');
      expect((await strict.client.find(ConfigMap, key))?.data).toMatchObject({ count: `${count}` });
    }
    const dry = await memberOf(await started({ dryRun: true }));
    await dry.client.patch(ConfigMap, key, { data: { count: 'dry' } }, 'merge');
    await dry.client.delete(ConfigMap, key);
    expect((await direct.get(ConfigMap, key)).data?.['count']).toBe('19');
  });

  it('FP-6: reads of uncached kinds bypass the cache and create no informer', async () => {
    const manager = await started({ uncached: [Secret] });
    const member = await memberOf(manager);
    // The cache does not run, so every cached read would fail at its deadline.
    const provider = new InMemoryProvider();
    const stopped = await createManager({
      config: controlPlane.config,
      provider,
      uncached: [Secret],
      logger: silentLogger,
      metrics: { bindAddress: '0' },
    });
    for (const { client } of [manager.localManager.cluster, member, stopped.localManager.cluster]) {
      const before = await client.list(Secret);
      await direct.create(Secret, draft);
      expect((await client.list(Secret)).items).toHaveLength(before.items.length + 1);
      expect(await client.get(partialMetadata(Secret), key)).toMatchObject({ metadata: key });
      await direct.delete(Secret, key);
      expect(await client.find(Secret, key)).toBeUndefined();
    }
    await expect(stopped.localManager.cluster.client.list(ConfigMap, { timeout: 1 })).rejects.toThrow(
      'the cache is not running',
    );
    await stopped.start(AbortSignal.abort());
  });

  it.each([
    ['fieldManager', '', 'expected 1 to 128 printable characters'],
    ['fieldManager', 'two\nlines', 'expected 1 to 128 printable characters'],
    ['fieldValidation', 'strict', 'Strict'],
    ['dryRun', 'yes', 'expected true or false'],
    ['uncached.0', ['Secret'], 'expected a Kind from defineKind'],
  ])('FP-6: refuses a wrong option %s', async (path, value, expected) => {
    const option = path.split('.')[0] ?? '';
    const options = { config: controlPlane.config, [option]: value };
    const refusal = await createManager(options).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(TypeError);
    expect((refusal as Error).message).toContain(`createManager: option "${path}": `);
    expect((refusal as Error).message).toContain(expected);
  });
});
