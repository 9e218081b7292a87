import { describe, expect, it } from '@jest/globals';
import { ConfigMap } from '@mcr/client';
import { FakeCluster } from '../cluster/fake-cluster.fixture.ts';
import { createNopProvider } from '../../provider/nop-provider.ts';
import { createSingleClusterProvider } from '../../provider/single-cluster-provider.ts';

describe('SingleClusterProvider', () => {
  it('engages its cluster, and neither runs nor stops it', async () => {
    const cluster = new FakeCluster();
    const provider = createSingleClusterProvider('eu-1', cluster);
    const engaged: unknown[] = [];
    const end = new AbortController();
    const running = provider.run({ engage: async (name, each) => void engaged.push([name, each]) }, end.signal);
    await provider.indexField(ConfigMap, 'by-team', () => []);
    end.abort();
    await running;
    expect(engaged).toEqual([['eu-1', cluster]]);
    expect(cluster.state).toBe('new');
    expect(cluster.indexes).toEqual(['by-team']);
    expect(provider.clusterNames()).toEqual(['eu-1']);
    expect(await provider.get('eu-1')).toBe(cluster);
    await expect(provider.get('eu-2')).rejects.toThrow('cluster "eu-2" is not engaged');
  });
});

describe('NopProvider', () => {
  it('CL-1: has no clusters', async () => {
    const provider = createNopProvider();
    expect(provider.clusterNames()).toEqual([]);
    await expect(provider.get('eu-1')).rejects.toThrow('cluster "eu-1" is not engaged: the fleet of a NopProvider');
  });
});
