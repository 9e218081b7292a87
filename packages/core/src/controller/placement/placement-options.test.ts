import { describe, expect, it } from '@jest/globals';
import type { KubernetesObject } from '@mcr/client';
import { ConfigMap, defineKind, Secret } from '@mcr/client';
import { FakeManager } from '../fake-manager.fixture.ts';
import { controllerManagedBy } from '../builder/builder.ts';
import type { PlacementOptions } from './placement-options.ts';
import { checkObjects, desired } from './placement-options.ts';

const Shop = defineKind({ apiVersion: 'shop.example.com/v1', kind: 'Shop', scope: 'Namespaced' });
const options: PlacementOptions<KubernetesObject> = { clusters: 'env=prod', kinds: [ConfigMap], objects: () => [] };
const configMap = (name: string) => desired(ConfigMap, { metadata: { namespace: 'default', name } });

describe('places', () => {
  const { manager } = new FakeManager();
  const builder = () => controllerManagedBy(manager).named('shop');

  it.each<[string, object]>([
    ['option "clusters"', { clusters: 'env=prod=test' }],
    ['option "clusters"', { clusters: 3 }],
    ['option "kinds"', { kinds: [] }],
    ['option "objects"', { objects: [] }],
    ['option "deletionPolicy"', { deletionPolicy: 'never' }],
    ['orphanAfter', { deletionPolicy: { orphanAfter: 0 } }],
    ['selector', { selector: 'x' }],
  ])('FP-4: refuses an invalid %s', async (text, invalid) => {
    await expect(builder().places(Shop, { ...options, ...invalid })).rejects.toThrow(text);
  });

  it('FP-4: refuses cluster-scoped owners without a namespace for their records', async () => {
    const Region = defineKind({ apiVersion: 'shop.example.com/v1', kind: 'Region', scope: 'Cluster' });
    await expect(builder().places(Region, options)).rejects.toThrow('option "recordNamespace"');
  });

  it.each(['Shop', 'x'.repeat(51), 'a_b'])('FP-4: refuses the name %s, which cannot be a label', async (name) => {
    await expect(controllerManagedBy(manager).named(name).places(Shop, options)).rejects.toThrow(
      'label of placed objects',
    );
  });

  it('FP-4: takes the place of for() and owns(), and cannot be sharded by uid', async () => {
    await expect(builder().for(Shop).places(Shop, options)).rejects.toThrow('takes the place of for() and owns()');
    await expect(builder().shardBy('uid').places(Shop, options)).rejects.toThrow('have no uid');
  });
});

describe('the objects of a placement', () => {
  it('FP-4: are of the given kinds, without regard to their version', () => {
    const beta = { ...ConfigMap, apiVersion: 'v1beta1' };
    expect(checkObjects([configMap('a')], [beta])).toHaveLength(1);
    expect(() => checkObjects([configMap('a')], [Secret])).toThrow(
      'objects: ConfigMap default/a is not of a kind in the option "kinds": add v1 ConfigMap to it',
    );
  });

  it('FP-4: are returned once each, and at most 1,000', () => {
    expect(() => checkObjects([configMap('a'), configMap('a')], [ConfigMap])).toThrow('is placed twice');
    const many = Array.from({ length: 1_001 }, (_, index) => configMap(`a-${index}`));
    expect(() => checkObjects(many, [ConfigMap])).toThrow('at most 1000 objects for one cluster, found 1001');
  });

  it.each<[unknown, string]>([
    [undefined, 'expected a list of objects'],
    [[null], 'objects: [0]: '],
    [[{ kind: ConfigMap }], 'objects: [0].configuration: '],
    [[configMap('a'), { kind: ConfigMap, configuration: {} }], 'objects: [1].configuration.metadata: '],
    [[{ kind: ConfigMap, configuration: { metadata: { name: '' } } }], 'objects: [0].configuration.metadata.name: '],
  ])('FP-4: names the invalid object in %j', (found, message) => {
    expect(() => checkObjects(found, [ConfigMap])).toThrow(message);
  });
});
