import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createClient,
  createCluster,
  createManager,
  CustomResourceDefinition,
  Namespace,
  Secret,
  silentLogger,
} from '@mcr/core';
import { eventually, VirtualClock } from '@mcr/core/testing';
import { createControlPlane } from '@mcr/envtest';
import { ClusterProfile } from './cluster-profile.ts';
import { createInventoryProvider } from './inventory-provider.ts';
import { clusterProfileDefinition } from './manifests.fixture.ts';
import type { InventoryProviderOptions } from './options.ts';
import { condition } from './profile.fixture.ts';
import { HEALTHY, Scene, UNHEALTHY } from './scene.fixture.ts';

const SECRET = { secret: { consumerName: 'test' } };
const key = (name: string) => ({ namespace: Scene.namespace, name });

let scene: Scene;
beforeAll(async () => {
  scene = await Scene.open();
});
afterAll(() => scene[Symbol.asyncDispose]());
afterEach(() => scene.clear());

const engaged = (...names: string[]) =>
  eventually(() => expect(scene.names()).toEqual(names.map((name) => `${Scene.namespace}/${name}`)));

describe('InventoryProvider', () => {
  it('IN-1: engages a profile as <namespace>/<name> once its control plane is healthy and it has joined', async () => {
    await scene.run(SECRET);
    await scene.createSecret('eu', scene.member().kubeconfig);
    await scene.createProfile('eu');
    await eventually(() => expect(scene.phase('eu')).toBe('Discovered'));
    expect(scene.reason('eu')).toBe('its ClusterProfile fleet/eu does not report a healthy control plane');
    const healthy = condition('ControlPlaneHealthy', 'True');
    await scene.setStatus('eu', { conditions: [healthy, condition('Joined', 'False')] });
    await scene.createSecret('us', scene.member(1).kubeconfig);
    await scene.createProfile('us', HEALTHY);
    await engaged('us');
    await scene.hub.delete(ClusterProfile, key('us'));
    await engaged();
    await scene.setStatus('eu', { conditions: [condition('ControlPlaneHealthy', 'Unknown')] });
    await scene.setStatus('eu', { conditions: [healthy, condition('Joined', 'True')] });
    await engaged('eu');

    await scene.hub.patch(ClusterProfile, key('eu'), { metadata: { finalizers: ['test.mcr.dev/hold'] } }, 'merge');
    await scene.hub.delete(ClusterProfile, key('eu'));
    await engaged();
    expect(scene.reason('eu')).toBe('its ClusterProfile fleet/eu is being deleted');
    await scene.hub.patch(ClusterProfile, key('eu'), { metadata: { finalizers: null } }, 'merge');
  });

  it('IN-1: an unhealthy profile stays engaged for the grace period, and is engaged again when it recovers later', async () => {
    const clock = new VirtualClock();
    await scene.run(SECRET, clock);
    await scene.createSecret('eu', scene.member().kubeconfig);
    await scene.createProfile('eu', HEALTHY);
    await engaged('eu');
    const cluster = await scene.cluster('eu');

    const becomesUnhealthy = async () => {
      await scene.setStatus('eu', UNHEALTHY);
      await eventually(() =>
        expect(scene.reason('eu')).toContain(
          'does not report a healthy control plane, and has up to 60000 ms to recover',
        ),
      );
    };
    await becomesUnhealthy();
    await scene.pass(clock, 59_000);
    await engaged('eu');
    await scene.setStatus('eu', HEALTHY);
    await eventually(() => expect(scene.reason('eu')).toBe('its entry can be used again'));
    expect(await scene.cluster('eu')).toBe(cluster);

    await becomesUnhealthy();
    await scene.pass(clock, 59_000);
    await engaged('eu');
    await scene.pass(clock, 1_000);
    await engaged();
    expect(scene.reason('eu')).toBe('its ClusterProfile fleet/eu does not report a healthy control plane');
    await scene.setStatus('eu', HEALTHY);
    await engaged('eu');
  });

  it('IN-1: a custom isReady determines readiness, and is called again after a while', async () => {
    const clock = new VirtualClock();
    let isOpen = false;
    await scene.run({ ...SECRET, isReady: ({ metadata }) => isOpen && metadata.name === 'eu' }, clock);
    await scene.createSecret('eu', scene.member().kubeconfig);
    await scene.createProfile('eu');
    await eventually(() => expect(scene.phase('eu')).toBe('Discovered'));
    isOpen = true;
    await eventually(async () => {
      await scene.pass(clock, 10_000);
      expect(scene.names()).toEqual(['fleet/eu']);
    });
  });

  it('IN-5: reads the kubeconfig from the one Secret that is labelled for the profile and the consumer', async () => {
    await scene.run(SECRET);
    await scene.createProfile('eu', HEALTHY);
    await eventually(() => expect(scene.phase('eu')).toBe('Discovered'));
    expect(scene.reason('eu')).toBe(
      'no Secret with the labels x-k8s.io/cluster-profile=eu and x-k8s.io/cluster-inventory-consumer=test in the namespace of its profile',
    );
    await scene.createSecret('of-other-consumer', 'no: kubeconfig', { profile: 'eu', consumer: 'other' });
    await scene.createSecret('any-name', scene.member().kubeconfig, { profile: 'eu' });
    await engaged('eu');
    const cluster = await scene.cluster('eu');

    await scene.createSecret('second', scene.member(1).kubeconfig, { profile: 'eu' });
    await eventually(() => expect(scene.reason('eu')).toContain('more than one Secret is labelled for its profile'));
    for (const name of ['second', 'any-name']) await scene.hub.delete(Secret, key(name));
    await eventually(() => expect(scene.reason('eu')).toMatch(/no Secret .*; the cluster keeps its last good/));
    expect(await scene.cluster('eu')).toBe(cluster);
  });

  it('IN-6: rotates other credentials in place, and engages another endpoint again', async () => {
    await scene.run(SECRET);
    await scene.createSecret('eu', scene.member().kubeconfig);
    await scene.createProfile('eu', HEALTHY);
    await engaged('eu');
    const cluster = await scene.cluster('eu');
    const rotated = await scene.member().issueToken();
    await scene.setKubeconfig('eu', rotated.kubeconfig);
    await eventually(() => expect(cluster.config.auth).toEqual(rotated.config.auth));
    expect(await scene.cluster('eu')).toBe(cluster);

    await scene.setKubeconfig('eu', scene.member(1).kubeconfig);
    await eventually(async () => expect((await scene.cluster('eu')).config.server).toBe(scene.member(1).config.server));
  });

  it('IN-7: cluster.info has the values of the profile and of the label of its namespace, and is updated with them', async () => {
    await scene.run(SECRET);
    await scene.createSecret('eu', scene.member().kubeconfig);
    const region = { name: 'region', value: 'eu-west' };
    const ofCluster = [
      { name: 'cluster.clusterset.k8s.io', value: 'eu-1' },
      { name: 'clusterset.k8s.io', value: 'what the cluster says' },
    ];
    await scene.createProfile('eu', { ...HEALTHY, properties: [region, ...ofCluster] });
    await engaged('eu');
    const cluster = await scene.cluster('eu');
    const properties = {
      region: 'eu-west',
      'cluster.clusterset.k8s.io': 'eu-1',
      'clusterset.k8s.io': 'prod',
      'x-k8s.io/cluster-manager': 'test-manager',
    };
    await eventually(() =>
      expect(cluster.info).toMatchObject({
        provider: 'inventory',
        labels: { tier: 'gold' },
        properties,
        version: expect.stringMatching(/^v1\./),
        origin: { kind: 'ClusterProfile', metadata: { name: 'eu' } },
      }),
    );

    const labels = { 'multicluster.x-k8s.io/clusterset': 'test' };
    await scene.hub.patch(Namespace, { name: Scene.namespace }, { metadata: { labels } }, 'merge');
    await eventually(() => expect(cluster.info.properties).toEqual({ ...properties, 'clusterset.k8s.io': 'test' }));
    expect(await scene.cluster('eu')).toBe(cluster);
  });

  it('PV-4: an invalid profile is reported, affects no other, and keeps its cluster', async () => {
    await scene.run(SECRET);
    for (const name of ['bad', 'good']) await scene.createSecret(name, scene.member().kubeconfig);
    await scene.createProfile('bad', HEALTHY);
    await engaged('bad');
    await scene.setKubeconfig('bad', 'users: [{name: x, user: {exec: {apiVersion: v1, command: rm}}}]');
    await scene.createProfile('good', HEALTHY);
    await engaged('bad', 'good');
    await eventually(() => expect(scene.reason('bad')).toContain('; the cluster keeps its last good configuration'));
  });

  it('PV-4: an error of a custom function is reported for its profile', async () => {
    const isReady: InventoryProviderOptions['isReady'] = ({ metadata: { name } }) => {
      if (name === 'bad') throw new TypeError('it has no annotations');
      return true;
    };
    await scene.run({ ...SECRET, isReady });
    for (const name of ['bad', 'good']) {
      await scene.createSecret(name, scene.member().kubeconfig);
      await scene.createProfile(name);
    }
    await engaged('good');
    expect(scene.manager.fleet.get('fleet/bad')).toMatchObject({
      phase: 'Unreachable',
      reason: 'it has no annotations',
    });
  });

  it('PV-6: newCluster creates the clusters, from configs that configure has changed', async () => {
    const made: string[] = [];
    await scene.run({
      ...SECRET,
      configure: (config) => ({ ...config, userAgent: 'test/1' }),
      newCluster: (config, options) => {
        made.push(`${options.name} ${config.userAgent}`);
        return createCluster(config, options);
      },
    });
    await scene.createSecret('eu', scene.member().kubeconfig);
    await scene.createProfile('eu', HEALTHY);
    await engaged('eu');
    expect(made).toEqual(['fleet/eu test/1']);
  });

  it('S-1: refuses a kubeconfig in a Secret with untrusted fields, and names the field', async () => {
    await scene.run(SECRET);
    const { kubeconfig } = scene.member();
    await scene.createSecret('eu', kubeconfig.replace('token', 'tokenFile'));
    await scene.createProfile('eu', HEALTHY);
    await eventually(() => expect(scene.reason('eu')).toMatch(/tokenFile: is refused in an untrusted kubeconfig/));
    expect(scene.names()).toEqual([]);
  });

  it('CT-5: the kind may be installed after the provider; profiles of all namespaces are watched', async () => {
    await using late = await createControlPlane({ name: 'late' });
    await using client = createClient(late.config);
    const provider = createInventoryProvider(SECRET);
    const manager = await createManager({
      config: late.config,
      provider,
      logger: silentLogger,
      metrics: { bindAddress: '0' },
    });
    const end = new AbortController();
    const ended = manager.start(end.signal);
    try {
      await eventually(() => expect(manager.fleet.get('')?.phase).toBe('Syncing'));
      await client.create(CustomResourceDefinition, clusterProfileDefinition as never);
      for (const namespace of ['red', 'blue']) {
        await client.create(Namespace, { metadata: { name: namespace } });
        await client.create(Secret, {
          metadata: {
            namespace,
            name: 'eu',
            labels: { 'x-k8s.io/cluster-profile': 'eu', 'x-k8s.io/cluster-inventory-consumer': 'test' },
          },
          stringData: { Config: scene.member().kubeconfig },
        });
        const spec = { clusterManager: { name: 'test-manager' } };
        await eventually(() => client.create(ClusterProfile, { metadata: { namespace, name: 'eu' }, spec }));
        await client.status.patch(ClusterProfile, { namespace, name: 'eu' }, { status: HEALTHY }, 'merge');
      }
      await eventually(() => expect(provider.clusterNames()).toEqual(['blue/eu', 'red/eu']));
    } finally {
      end.abort();
      await ended;
    }
  });

  it.each<[problem: string, options: object]>([
    ['set exactly one of the options "accessProviders" and "secret"', {}],
    ['set exactly one of the options', { ...SECRET, accessProviders: 'providers.json' }],
    ['option "secret.consumerName": expected a label value', { secret: { consumerName: 'a,b' } }],
    ['unknown option "policy"', { ...SECRET, policy: 'trusted' }],
    ['option "accessProviders"', { accessProviders: [] }],
    ['option "unhealthyGrace"', { ...SECRET, unhealthyGrace: -1 }],
  ])('refuses options: %s', (problem, options) => {
    expect(() => createInventoryProvider(options as InventoryProviderOptions)).toThrow(problem);
  });
});
