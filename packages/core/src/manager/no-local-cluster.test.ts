import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ObjectKey } from '@mcr/client';
import { ConfigMap, createClient, silentLogger } from '@mcr/client';
import { createControlPlane } from '@mcr/envtest';
import { controllerManagedBy } from '../controller/builder/builder.ts';
import { HubProvider } from '../provider/hub-provider.ts';
import { InMemoryProvider } from '../provider/in-memory-provider.ts';
import { createCluster } from '../fleet/cluster/create-cluster.ts';
import { LOCAL_CLUSTER } from '../fleet/multicluster/cluster-name.ts';
import { isClusterNotFound } from '../fleet/multicluster/cluster-not-found-error.ts';
import { eventually } from '../testing/eventually.ts';
import type { ManagerOptions } from './manager-options.ts';
import { createManager } from './create-manager.ts';
import { limitedManager } from './limited-manager.ts';

const remedy = 'the manager runs without a local cluster: set $KUBECONFIG or the option "config" of createManager';

describe('a manager without a local cluster', () => {
  let home: string;
  let provider: InMemoryProvider;
  const { KUBECONFIG, HOME, KUBERNETES_SERVICE_HOST } = process.env;

  const setEnvironment = (values: Record<string, string | undefined>) => {
    for (const [name, value] of Object.entries(values)) {
      if (value === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = value;
    }
  };

  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'mcr-home-'));
    setEnvironment({ KUBECONFIG: undefined, HOME: home, KUBERNETES_SERVICE_HOST: undefined });
    provider = new InMemoryProvider();
  });
  afterEach(async () => {
    setEnvironment({ KUBECONFIG, HOME, KUBERNETES_SERVICE_HOST });
    await rm(home, { recursive: true });
  });

  const newManager = (options: ManagerOptions = {}) =>
    createManager({ provider, logger: silentLogger, metrics: { bindAddress: '0' }, ...options });

  it("MG-9: reconciles the provider's clusters where there is no kubeconfig", async () => {
    const controlPlane = await createControlPlane();
    const client = createClient(controlPlane.config);
    const manager = await newManager();
    const seen: string[] = [];
    await controllerManagedBy(manager)
      .for(ConfigMap)
      .complete(async ({ clusterName, name }) => void seen.push(`${clusterName}/${name}`));
    await manager.fieldIndexer.indexField(ConfigMap, 'name', ({ metadata }) => [metadata.name]);
    const end = new AbortController();
    const started = manager.start(end.signal);
    try {
      await manager.elected;
      provider.set('eu-1', createCluster(controlPlane.config, { name: 'eu-1' }));
      await client.create(ConfigMap, { metadata: { namespace: 'default', name: 'cart' } });
      await eventually(() => expect(seen).toContain('eu-1/cart'));
      expect(manager.hasLocalCluster).toBe(false);
      expect(manager.fleet.list().map(({ name }) => name)).toEqual(['eu-1']);
    } finally {
      end.abort();
      await started;
      await client.close();
      await controlPlane.stop();
    }
  });

  it('MG-9: does not look for a kubeconfig when config is "none"', async () => {
    setEnvironment({ KUBECONFIG: join(home, 'broken') });
    await writeFile(join(home, 'broken'), '{');
    expect((await newManager({ config: 'none' })).hasLocalCluster).toBe(false);
  });

  it('MG-9: still refuses a $KUBECONFIG that names a missing file, and a kubeconfig that cannot be used', async () => {
    setEnvironment({ KUBECONFIG: join(home, 'missing') });
    await expect(newManager()).rejects.toThrow('$KUBECONFIG: file not found');
    await writeFile(join(home, 'missing'), '{}');
    await expect(newManager()).rejects.toThrow('kubeconfig');
  });

  it('MG-9: use of the local cluster throws an error that names the option to set', async () => {
    const manager = await newManager();
    const limited = limitedManager(manager, new AbortController().signal);
    for (const each of [manager, limited]) {
      await expect(each.getCluster(LOCAL_CLUSTER)).rejects.toThrow(`cluster "" is not engaged: ${remedy}`);
      await expect(each.getManager(LOCAL_CLUSTER)).rejects.toThrow(remedy);
      expect(() => each.localManager.cluster).toThrow(remedy);
      expect(each.localManager.clusterName).toBe(LOCAL_CLUSTER);
    }
    const error = await manager.getCluster(LOCAL_CLUSTER).catch((thrown: unknown) => thrown);
    expect(isClusterNotFound(error)).toBe(true);
  });

  it('MG-9: refuses a watch of the local cluster', async () => {
    const builder = controllerManagedBy(await newManager()).for(ConfigMap, { engage: { local: true } });
    await expect(builder.complete(async () => undefined)).rejects.toThrow(
      'for(ConfigMap): option "engage.local" needs a local cluster: set "config" of createManager to it',
    );
  });

  it('MG-9: refuses a provider whose inventory is in the local cluster', async () => {
    class TestProvider extends HubProvider {
      protected nameOf({ name }: ObjectKey): string {
        return name;
      }

      protected async reconcile(): Promise<void> {}
    }
    const hubProvider = new TestProvider({ controllerName: 'test' });
    await expect(hubProvider.setupWithManager(await newManager())).rejects.toThrow(
      'TestProvider: its inventory is in the hub, and the manager has no local cluster: set $KUBECONFIG',
    );
  });

  it.each<[string, ManagerOptions]>([
    ['option "leaderElection"', { leaderElection: { id: 'test', namespace: 'default' } }],
    [
      'option "metrics.access": "authorized"',
      { metrics: { access: 'authorized', certificate: { certFile: 'a', keyFile: 'b' } } },
    ],
    ['option "cache"', { cache: {} }],
    ['option "sharding"', { sharding: { name: 'test' } }],
  ])('MG-9: refuses %s', async (option, options) => {
    const message = (why: string) =>
      `createManager: ${option} needs a local cluster, and ${why}: set $KUBECONFIG or "config" to the cluster to use`;
    await expect(newManager(options)).rejects.toThrow(message('no kubeconfig was found'));
    await expect(newManager({ ...options, config: 'none' })).rejects.toThrow(message('option "config" is "none"'));
  });

  it('MG-1: a manager without a provider needs a local cluster', async () => {
    await expect(createManager({ logger: silentLogger })).rejects.toThrow('not found: set $KUBECONFIG');
    await expect(createManager({ config: 'none' })).rejects.toThrow(
      'without the option "provider" needs a local cluster',
    );
  });
});
