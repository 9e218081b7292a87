import { describe, expect, it } from '@jest/globals';
import { infoOf } from './info-of.ts';

const object = (labels: Record<string, string>) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'eu-1', namespace: 'fleet', uid: '1', resourceVersion: '7', creationTimestamp: '', labels },
  data: { kubeconfig: 'c2VjcmV0' },
});

describe('infoOf', () => {
  it('PV-7: a cluster has the labels of its object, and keeps only the metadata of the object', () => {
    const { metadata } = object({ env: 'prod' });
    expect(infoOf(object({ env: 'prod' }), { provider: 'kubeconfig' })).toEqual({
      provider: 'kubeconfig',
      labels: { env: 'prod' },
      properties: {},
      origin: { apiVersion: 'v1', kind: 'Secret', metadata },
    });
  });

  it('PV-7: the clusterset label of the object overrides a clusterset property', () => {
    const labelled = object({ 'multicluster.x-k8s.io/clusterset': 'prod' });
    const properties = { 'clusterset.k8s.io': 'test', region: 'eu' };
    expect(infoOf(labelled, { provider: 'capi', properties }).properties).toEqual({
      'clusterset.k8s.io': 'prod',
      region: 'eu',
    });
    expect(infoOf(object({}), { provider: 'capi', properties }).properties).toEqual(properties);
  });
});
