import { describe, expect, it } from '@jest/globals';
import { VirtualClock } from '@mcr/client/testing';
import { FakeCluster } from '../fleet/cluster/fake-cluster.fixture.ts';
import type { ClusterObservation } from '../fleet/multicluster/aware.ts';
import { InMemoryProvider } from './in-memory-provider.ts';

describe('InMemoryProvider', () => {
  it('engages clusters that were set before and during the run, and stops them at its end', async () => {
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

  it('CL-5: reports why a cluster stopped by itself, whether it was engaged or not', async () => {
    const errors: string[] = [];
    const provider = new InMemoryProvider<FakeCluster>({
      onError: (error, name) => errors.push(`${name}: ${error.message}`),
    });
    const end = new AbortController();
    const reports: [string, ClusterObservation['phase'], string][] = [];
    const clusters = { engaged: FakeCluster.ready(), connecting: new FakeCluster() };
    for (const [name, cluster] of Object.entries(clusters)) provider.set(name, cluster);
    const running = provider.run(
      {
        engage: async () => undefined,
        report: (name, { phase, reason }) => void (phase === 'Disengaged' && reports.push([name, phase, reason])),
      },
      end.signal,
    );
    await new Promise(setImmediate);
    for (const cluster of Object.values(clusters)) cluster.fail(new Error('a field has a wrong type'));
    await new Promise(setImmediate);
    const why = (name: string) => `cluster "${name}" stopped by itself: a field has a wrong type`;
    expect(reports).toEqual([
      ['engaged', 'Disengaged', why('engaged')],
      ['connecting', 'Disengaged', why('connecting')],
    ]);
    expect(errors).toEqual([`engaged: ${why('engaged')}`, `connecting: ${why('connecting')}`]);
    end.abort();
    await running;
  });

  it('CL-5: creates another cluster after one stopped by itself, if a function was set', async () => {
    const clock = new VirtualClock();
    const provider = new InMemoryProvider<FakeCluster>({ clock, random: () => 0 });
    const end = new AbortController();
    const made: FakeCluster[] = [];
    provider.set('eu-1', () => {
      const cluster = FakeCluster.ready();
      made.push(cluster);
      return cluster;
    });
    const running = provider.run({ engage: async () => undefined }, end.signal);
    await new Promise(setImmediate);
    for (const delay of [1_000, 2_000]) {
      const failed = made.length;
      made.at(-1)?.fail(new Error('stopped'));
      await new Promise(setImmediate);
      expect(provider.clusterNames()).toEqual([]);
      await clock.advance(delay - 1);
      expect(made).toHaveLength(failed);
      await clock.advance(1);
      await new Promise(setImmediate);
      expect(provider.clusterNames()).toEqual(['eu-1']);
    }

    made.at(-1)?.fail(new Error('stopped'));
    await provider.delete('eu-1');
    await clock.advance(300_000);
    expect(made).toHaveLength(3);
    end.abort();
    await running;
    expect(clock.pendingTimers).toBe(0);
  });
});
