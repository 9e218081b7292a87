import { describe, expect, it } from '@jest/globals';
import { getEventListeners } from 'node:events';
import { ConfigMap } from '@mcr/client';
import { FakeCluster } from '../cluster/fake-cluster.fixture.ts';
import { isNotOwner } from '../multicluster/not-owner-error.ts';
import { createNopProvider } from '../../provider/nop-provider.ts';
import { createSingleClusterProvider } from '../../provider/single-cluster-provider.ts';
import { FakeOwnership } from './fake-ownership.fixture.ts';
import { RecordingAware } from './recording-aware.fixture.ts';

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

describe('SingleClusterProvider of a sharded fleet', () => {
  it('SH-9: engages its cluster while this process owns it', async () => {
    const cluster = new FakeCluster();
    const provider = createSingleClusterProvider('eu-1', cluster);
    const ownership = new FakeOwnership();
    const aware = Object.assign(new RecordingAware(), { ownership });
    const end = new AbortController();
    const running = provider.run(aware, end.signal);
    expect(provider.clusterNames()).toEqual([]);
    expect(isNotOwner(await provider.get('eu-1').catch((error: unknown) => error))).toBe(true);
    for (let turn = 1; turn <= 2; turn++) {
      ownership.set('warming', 'eu-1');
      ownership.set('active', 'eu-1');
      expect(aware.names).toEqual(['eu-1']);
      expect(await provider.get('eu-1')).toBe(cluster);
      expect(aware.engaged).toHaveLength(turn);
      ownership.set('elsewhere', 'eu-1');
      expect(aware.names).toEqual([]);
    }
    ownership.set('active', 'eu-1');
    end.abort();
    await running;
    expect(aware.names).toEqual([]);
    expect([ownership.listeners, ownership.declared.size]).toEqual([0, 0]);
    expect(getEventListeners(end.signal, 'abort')).toEqual([]);
  });

  it('ends with the error of a refused engagement', async () => {
    const ownership = new FakeOwnership();
    const refusing = { engage: () => Promise.reject(new Error('no room')), ownership };
    const running = createSingleClusterProvider('eu-1', new FakeCluster()).run(refusing, new AbortController().signal);
    ownership.set('active', 'eu-1');
    await expect(running).rejects.toThrow('no room');
    expect(ownership.listeners).toBe(0);
  });
});

describe('NopProvider', () => {
  it('CL-1: has no clusters', async () => {
    const provider = createNopProvider();
    expect(provider.clusterNames()).toEqual([]);
    await expect(provider.get('eu-1')).rejects.toThrow('cluster "eu-1" is not engaged: the fleet of a NopProvider');
  });
});
