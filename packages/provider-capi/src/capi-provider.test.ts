import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { ApiClient, Clock, ClusterConfig, Kind, Manager } from '@mcr/core';
import {
  createClient,
  createManager,
  CustomResourceDefinition,
  Namespace,
  Secret,
  silentLogger,
  systemClock,
} from '@mcr/core';
import { untilAborted } from '@mcr/core/provider';
import { eventually, VirtualClock } from '@mcr/core/testing';
import type { ControlPlaneFleet } from '@mcr/envtest';
import { createControlPlane, createControlPlaneFleet } from '@mcr/envtest';
import type { AnyCluster } from './cluster-api.ts';
import { clusterApi } from './cluster-api.ts';
import { createCapiProvider, type CapiProvider } from './capi-provider.ts';
import { ClusterResource } from './cluster-resource.ts';
import { capiDefinition, clusterDefinition } from './manifests.fixture.ts';
import type { CapiProviderOptions } from './options.ts';

const V1BETA2 = clusterApi('v1beta2').kind;
const V1BETA1 = clusterApi('v1beta1').kind;

let fleet: ControlPlaneFleet;
let hub: ApiClient;
let namespace: string;
let number = 0;
let manager: Manager;
let provider: CapiProvider;
let stop: () => Promise<void> = async () => undefined;

beforeAll(async () => {
  fleet = await createControlPlaneFleet({ members: 2 });
  hub = createClient(fleet.hub.config);
  await hub.create(CustomResourceDefinition, capiDefinition(['v1beta2', 'v1beta1']) as never);
  await hub.create(CustomResourceDefinition, clusterDefinition as never);
});

afterAll(async () => {
  await hub.close();
  await fleet.stop();
});

beforeEach(async () => {
  namespace = `ns-${number++}`;
  await hub.create(Namespace, { metadata: { name: namespace } });
});

afterEach(async () => {
  await stop();
  stop = async () => undefined;
});

async function run(
  options: CapiProviderOptions = {},
  { config = fleet.hub.config, clock = systemClock }: { readonly config?: ClusterConfig; readonly clock?: Clock } = {},
): Promise<void> {
  provider = createCapiProvider({ namespace, ...options });
  manager = await createManager({ config, provider, clock, logger: silentLogger, metrics: { bindAddress: '0' } });
  const end = new AbortController();
  const started = manager.start(end.signal);
  stop = async () => {
    end.abort();
    await started;
  };
}

const READY = { initialization: { controlPlaneInitialized: true } };

async function createCluster(name: string, status: object = READY, kind: Kind<AnyCluster> = V1BETA2): Promise<void> {
  await hub.create(kind, { metadata: { namespace, name, labels: { tier: 'gold' } } });
  await setStatus(name, status, kind);
}

async function setStatus(name: string, status: object, kind: Kind<AnyCluster> = V1BETA2): Promise<void> {
  await hub.status.patch(kind, { namespace, name }, { status }, 'merge');
}

async function createSecret(name: string, kubeconfig: string, label = 'cluster.x-k8s.io/cluster-name'): Promise<void> {
  await hub.create(Secret, {
    metadata: { namespace, name: `${name}-kubeconfig`, labels: { [label]: name } },
    stringData: { value: kubeconfig },
  });
}

const member = (index = 0) => {
  const plane = fleet.members[index];
  if (!plane) throw new Error(`expected member ${index}`);
  return plane;
};
const names = () => provider.clusterNames();
const status = (name: string) => manager.fleet.get(`${namespace}/${name}`);

describe('CapiProvider', () => {
  it('CA-1: a Cluster is engaged as <namespace>/<name> once its control plane is initialised', async () => {
    await run();
    await createSecret('eu-1', member().kubeconfig);
    await createCluster('eu-1', {});
    await eventually(() => expect(status('eu-1')?.phase).toBe('Discovered'));
    expect(names()).toEqual([]);
    await setStatus('eu-1', READY);
    await eventually(() => expect(names()).toEqual([`${namespace}/eu-1`]));
    const cluster = await provider.get(`${namespace}/eu-1`);
    expect(cluster.info).toMatchObject({
      provider: 'capi',
      labels: { tier: 'gold' },
      origin: { kind: 'Cluster', metadata: { name: 'eu-1' } },
    });
  });

  it('CA-1: disengages a Cluster that is no longer ready, is being deleted or was deleted, and keeps a paused one', async () => {
    await run();
    await createSecret('eu-1', member().kubeconfig);
    await createCluster('eu-1');
    await eventually(() => expect(names()).toEqual([`${namespace}/eu-1`]));
    await hub.patch(V1BETA2, { namespace, name: 'eu-1' }, { spec: { paused: true } }, 'merge');
    await setStatus('eu-1', { phase: 'Provisioned' });
    expect(names()).toEqual([`${namespace}/eu-1`]);

    await setStatus('eu-1', { initialization: { controlPlaneInitialized: false } });
    await eventually(() => expect(names()).toEqual([]));
    expect(status('eu-1')?.reason).toContain('is not ready');
    await setStatus('eu-1', READY);
    await eventually(() => expect(names()).toEqual([`${namespace}/eu-1`]));

    const key = { namespace, name: 'eu-1' };
    await hub.patch(V1BETA2, key, { metadata: { finalizers: ['test.mcr.dev/hold'] } }, 'merge');
    await hub.delete(V1BETA2, key);
    await eventually(() => expect(names()).toEqual([]));
    expect(status('eu-1')).toMatchObject({
      phase: 'Disengaged',
      reason: `its Cluster ${namespace}/eu-1 is being deleted`,
    });
    await hub.patch(V1BETA2, key, { metadata: { finalizers: null } }, 'merge');
  });

  it('CA-1: a v1beta1 Cluster is ready by its phase or its condition', async () => {
    await run({ apiVersions: ['v1beta1'] });
    await createSecret('phase', member().kubeconfig);
    await createSecret('condition', member(1).kubeconfig);
    await createCluster('phase', { phase: 'Provisioning' }, V1BETA1);
    await createCluster('condition', { conditions: [{ type: 'ControlPlaneInitialized', status: 'False' }] }, V1BETA1);
    await eventually(() => expect(status('condition')?.phase).toBe('Discovered'));
    await setStatus('phase', { phase: 'Provisioned' }, V1BETA1);
    await setStatus('condition', { conditions: [{ type: 'ControlPlaneInitialized', status: 'True' }] }, V1BETA1);
    await eventually(() => expect(names()).toEqual([`${namespace}/condition`, `${namespace}/phase`]));
  });

  it('CA-1: watches the first version that the hub serves, also if it is installed after the provider has started', async () => {
    await using late = await createControlPlane({ name: 'late' });
    const clock = new VirtualClock();
    await run({}, { config: late.config, clock });
    await using client = createClient(late.config);
    await eventually(() => expect(manager.fleet.get('')?.phase).toBe('Engaged'));
    await client.create(CustomResourceDefinition, capiDefinition(['v1beta1']) as never);
    await client.create(Namespace, { metadata: { name: namespace } });
    await eventually(() =>
      client.create(V1BETA1, { metadata: { namespace, name: 'eu-1' } }).then(
        () => undefined,
        (error: unknown) => {
          throw error as Error;
        },
      ),
    );
    await client.status.patch(V1BETA1, { namespace, name: 'eu-1' }, { status: { phase: 'Provisioned' } }, 'merge');
    await client.create(Secret, {
      metadata: { namespace, name: 'eu-1-kubeconfig', labels: { 'cluster.x-k8s.io/cluster-name': 'eu-1' } },
      stringData: { value: member().kubeconfig },
    });
    await eventually(async () => {
      await clock.advance(200);
      expect(names()).toEqual([`${namespace}/eu-1`]);
    });
    await stop();
    stop = async () => undefined;
  });

  it('CA-2: waits for the Secret, and rotates its credentials in place', async () => {
    await run();
    await createCluster('eu-1');
    await eventually(() => expect(status('eu-1')?.reason).toContain('the Secret'));
    const first = await member().issueToken();
    await createSecret('eu-1', first.kubeconfig);
    await eventually(() => expect(names()).toEqual([`${namespace}/eu-1`]));
    const cluster = await provider.get(`${namespace}/eu-1`);

    const second = await member().issueToken();
    const key = { namespace, name: 'eu-1-kubeconfig' };
    await hub.patch(Secret, key, { stringData: { value: second.kubeconfig } }, 'merge');
    await eventually(() => expect(cluster.config.auth).toEqual(second.config.auth));
    expect(await provider.get(`${namespace}/eu-1`)).toBe(cluster);

    await hub.delete(Secret, key);
    await eventually(() => expect(status('eu-1')?.reason).toContain('keeps its last good'));
    expect(names()).toEqual([`${namespace}/eu-1`]);
    await createSecret('eu-1', second.kubeconfig);
    await eventually(() => expect(status('eu-1')?.reason).toBe('its entry can be used again'));
  });

  it('CA-3: a Cluster of cluster.k8s.io/v1alpha1 is ready with an endpoint and without an error', async () => {
    await run({ apiVersions: ['cluster.k8s.io/v1alpha1'] });
    await createSecret('eu-1', member().kubeconfig, 'cluster.k8s.io/cluster-name');
    await hub.create(ClusterResource, {
      metadata: { namespace, name: 'eu-1' },
      spec: { clusterNetwork: { services: { cidrBlocks: ['10.96.0.0/12'] }, serviceDomain: 'cluster.local' } },
    });
    await eventually(() => expect(status('eu-1')?.phase).toBe('Discovered'));
    const key = { namespace, name: 'eu-1' };
    const endpoints = [{ host: '127.0.0.1', port: 6443 }];
    await hub.status.patch(ClusterResource, key, { status: { apiEndpoints: endpoints } }, 'merge');
    await eventually(() => expect(names()).toEqual([`${namespace}/eu-1`]));
    await hub.status.patch(ClusterResource, key, { status: { errorReason: 'UpdateError' } }, 'merge');
    await eventually(() => expect(names()).toEqual([]));
  });

  it('PV-4: an invalid kubeconfig is reported and affects no other Cluster', async () => {
    await run();
    await createSecret('bad', 'no: kubeconfig');
    await createSecret('good', member().kubeconfig);
    await createCluster('bad');
    await createCluster('good');
    await eventually(() => expect(names()).toEqual([`${namespace}/good`]));
    await eventually(() => expect(status('bad')).toMatchObject({ phase: 'Unreachable' }));
  });

  it('PV-4: an invalid Cluster is reported with the reason and affects no other', async () => {
    const getKubeconfig: CapiProviderOptions['getKubeconfig'] = async ({ metadata }) => {
      if (metadata.name === 'refused') throw new Error('the vault is sealed');
      return metadata.name === 'garbage' ? (42 as never) : member().kubeconfig;
    };
    await run({ apiVersions: ['v1beta1'], getKubeconfig });
    await createCluster('odd', { conditions: 'none' }, V1BETA1);
    for (const name of ['refused', 'garbage', 'good']) await createCluster(name, { phase: 'Provisioned' }, V1BETA1);
    await eventually(() => expect(names()).toEqual([`${namespace}/good`]));
    for (const [name, reason] of Object.entries({
      odd: 'status.conditions: expected an array',
      refused: 'the vault is sealed',
      garbage: 'string',
    })) {
      await eventually(() => expect(status(name)).toMatchObject({ phase: 'Unreachable' }));
      expect(status(name)?.reason).toContain(reason);
    }
  });

  it('PV-5: a getKubeconfig that hangs does not delay other Clusters', async () => {
    await run({
      getKubeconfig: ({ metadata }, { signal }) =>
        metadata.name === 'a-silent'
          ? untilAborted(signal).then(() => undefined)
          : Promise.resolve(member().kubeconfig),
    });
    await createCluster('a-silent');
    await createCluster('good');
    await eventually(() => expect(names()).toEqual([`${namespace}/good`]));
  });

  it('CA-2: notices a Secret that is created while getKubeconfig runs', async () => {
    const asked = Promise.withResolvers<void>();
    const told = Promise.withResolvers<void>();
    await run({
      async getKubeconfig({ metadata }, { hub: { apiReader } }) {
        const secret = await apiReader.find(Secret, { namespace, name: `${metadata.name}-kubeconfig` });
        asked.resolve();
        await told.promise;
        return secret && member().kubeconfig;
      },
    });
    await createCluster('eu-1');
    await asked.promise;
    await createSecret('eu-1', 'known to the function');
    const { cache } = manager.localManager.cluster;
    const { store } = await cache.informer(Secret, {
      namespaces: [namespace],
      labelSelector: 'cluster.x-k8s.io/cluster-name',
    });
    await eventually(() => expect(store.size).toBe(1));
    told.resolve();
    await eventually(() => expect(names()).toEqual([`${namespace}/eu-1`]));
  });

  it('PV-6: custom functions determine readiness, the kubeconfig and the cluster', async () => {
    const made: string[] = [];
    const { createCluster: create } = await import('@mcr/core');
    await run({
      labelSelector: 'tier=gold',
      isReady: ({ metadata }) => metadata.name !== 'hidden',
      getKubeconfig: async ({ metadata }, { hub: { config } }) =>
        metadata.name === 'eu-1' && config.server === fleet.hub.config.server ? member().kubeconfig : undefined,
      configure: (config) => ({ ...config, userAgent: 'test/1' }),
      newCluster: (config, options) => {
        made.push(`${options.name} ${config.userAgent}`);
        return create(config, options);
      },
    });
    await createCluster('eu-1', {});
    await createCluster('hidden', {});
    await eventually(() => expect(names()).toEqual([`${namespace}/eu-1`]));
    expect(made).toEqual([`${namespace}/eu-1 test/1`]);
    expect(() => createCapiProvider({ apiVersions: ['v1alpha3'] })).toThrow('option "apiVersions.0"');
    expect(() => createCapiProvider({ apiVersions: [] })).toThrow('expected at least one version');
    expect(() => createCapiProvider({ secretKey: 'x' } as never)).toThrow('unknown option "secretKey"');
  });

  it('PV-2: engages the current Clusters at a second run', async () => {
    await createSecret('eu-1', member().kubeconfig);
    await createCluster('eu-1');
    const silent = { engage: async () => undefined };
    const isSeen = ({ object }: { readonly object: { readonly metadata: { readonly name: string } } }) =>
      object.metadata.name !== 'hidden';
    provider = createCapiProvider({ namespace, predicates: [isSeen] });
    manager = await createManager({ config: fleet.hub.config, logger: silentLogger, metrics: { bindAddress: '0' } });
    const end = new AbortController();
    const started = manager.start(end.signal);
    await provider.setupWithManager(manager);
    for (let time = 0; time < 2; time++) {
      const ofRun = new AbortController();
      const running = provider.run(silent, ofRun.signal);
      await eventually(() => expect(names()).toEqual([`${namespace}/eu-1`]));
      ofRun.abort();
      await running;
      expect(names()).toEqual([]);
    }
    // Changes between two runs are noticed, and predicates still apply.
    await createSecret('eu-2', member(1).kubeconfig);
    await createCluster('eu-2');
    await createSecret('hidden', member(1).kubeconfig);
    await createCluster('hidden');
    await hub.delete(V1BETA2, { namespace, name: 'eu-1' });
    const { store } = await manager.localManager.cluster.cache.informer(V1BETA2, { namespaces: [namespace] });
    await eventually(() => expect(store.list().map(({ metadata }) => metadata.name)).toEqual(['eu-2', 'hidden']));
    const ofRun = new AbortController();
    const running = provider.run(silent, ofRun.signal);
    await eventually(() => expect(names()).toEqual([`${namespace}/eu-2`]));
    await hub.patch(V1BETA2, { namespace, name: 'eu-2' }, { metadata: { labels: { tier: 'lead' } } }, 'merge');
    await eventually(async () =>
      expect((await provider.get(`${namespace}/eu-2`)).info.labels).toEqual({ tier: 'lead' }),
    );
    expect(names()).toEqual([`${namespace}/eu-2`]);
    ofRun.abort();
    await running;
    end.abort();
    await started;
  });

  it('CA-1: does not fall back to another version while the hub does not respond', async () => {
    provider = createCapiProvider({ namespace });
    manager = await createManager({ config: fleet.hub.config, logger: silentLogger, metrics: { bindAddress: '0' } });
    const { restMapper } = manager.localManager.cluster;
    const resolve = jest.spyOn(restMapper, 'resolve').mockRejectedValueOnce(new Error('connection refused'));
    await provider.setupWithManager(manager);
    const end = new AbortController();
    const running = provider.run({ engage: async () => undefined }, end.signal);
    await eventually(() => expect(resolve).toHaveBeenCalled());
    await new Promise(setImmediate);
    expect(resolve.mock.calls.map(([{ apiVersion }]) => apiVersion)).toEqual(['cluster.x-k8s.io/v1beta2']);
    end.abort();
    await running;
  });
});
