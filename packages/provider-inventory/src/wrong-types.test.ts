import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CustomResourceDefinition } from '@mcr/core';
import { eventually } from '@mcr/core/testing';
import { ClusterProfile } from './cluster-profile.ts';
import { HEALTHY, Scene } from './scene.fixture.ts';

const SPEC = { clusterManager: { name: 'test-manager' } };
const CASES: readonly (readonly [field: string, fields: object])[] = [
  ['spec', { spec: 'text' }],
  ['spec', { spec: [] }],
  ['spec.clusterManager', { spec: {} }],
  ['spec.clusterManager', { spec: { clusterManager: 7 } }],
  ['spec.clusterManager.name', { spec: { clusterManager: { name: {} } } }],
  ['status', { status: 'text' }],
  ['status', { status: 7 }],
  ['status.conditions', { status: { conditions: 'text' } }],
  ['status.conditions.0', { status: { conditions: [null] } }],
  ['status.conditions.0.status', { status: { conditions: [{ type: 'ControlPlaneHealthy', status: true }] } }],
  ['status.properties', { status: { ...HEALTHY, properties: {} } }],
  ['status.properties.0.value', { status: { ...HEALTHY, properties: [{ name: 'a', value: [] }] } }],
  ['status.accessProviders', { status: { ...HEALTHY, accessProviders: true } }],
];

describe('ClusterProfiles whose fields have wrong types', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await Scene.open();
    const anything = { 'x-kubernetes-preserve-unknown-fields': true };
    const schema = { openAPIV3Schema: { type: 'object', properties: { spec: anything, status: anything } } };
    const key = { name: 'clusterprofiles.multicluster.x-k8s.io' };
    const patch = [{ op: 'replace', path: '/spec/versions/0/schema', value: schema }];
    await scene.hub.patch(CustomResourceDefinition, key, patch, 'json');
  });
  afterAll(() => scene[Symbol.asyncDispose]());

  const set = async ({ spec = SPEC, status = HEALTHY }: { readonly spec?: unknown; readonly status?: unknown }) => {
    const key = { namespace: Scene.namespace, name: 'eu-1' };
    await scene.hub.patch(ClusterProfile, key, [{ op: 'add', path: '/spec', value: spec }], 'json');
    await scene.hub.status.patch(ClusterProfile, key, [{ op: 'add', path: '/status', value: status }], 'json');
  };
  const create = async (name: string) => {
    await scene.createSecret(name, scene.member().kubeconfig);
    await scene.createProfile(name, HEALTHY);
    await eventually(() => expect(scene.names()).toContain(`fleet/${name}`));
  };

  it('PV-4, S-14: affect only their own entry, which keeps its last good cluster', async () => {
    await scene.run({ secret: { consumerName: 'test' } });
    await create('eu-1');
    const cluster = await scene.cluster('eu-1');
    for (const [index, [field, fields]] of CASES.entries()) {
      await set(fields);
      await eventually(() =>
        expect(scene.reason('eu-1')).toMatch(new RegExp(`^${field}: .*keeps its last good configuration$`)),
      );
      expect(await scene.cluster('eu-1')).toBe(cluster);
      if (index % 5 === 0) await create(`later-${index}`);
      await set({});
      await eventually(() => expect(scene.reason('eu-1')).toBe('its entry can be used again'));
    }
    expect(scene.phase('eu-1')).toBe('Engaged');
  });
});
