import { describe, expect, it } from '@jest/globals';
import { FakeCluster } from '../cluster/fake-cluster.fixture.ts';
import { InMemoryProvider } from './in-memory-provider.ts';

describe('InMemoryProvider', () => {
  it('engages what was set before and while it runs, and stops all of it in the end', async () => {
    const provider = new InMemoryProvider<FakeCluster>();
    const end = new AbortController();
    const engaged: string[] = [];
    const [before, after, deleted] = [FakeCluster.ready(), FakeCluster.ready(), FakeCluster.ready()];
    provider.set('before', before);
    const running = provider.run({ engage: async (name) => void engaged.push(name) }, end.signal);
    provider.set('after', after);
    provider.set('deleted', deleted);
    await new Promise(setImmediate);
    expect(engaged).toEqual(['before', 'after', 'deleted']);

    await provider.delete('deleted');
    expect(deleted.state).toBe('stopped');
    expect(provider.clusterNames()).toEqual(['after', 'before']);
    await expect(provider.get('deleted')).rejects.toThrow('"deleted" is not engaged');

    end.abort();
    await running;
    expect([before.state, after.state]).toEqual(['stopped', 'stopped']);
    expect(provider.clusterNames()).toEqual([]);
  });
});
