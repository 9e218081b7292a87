import { describe, expect, it } from '@jest/globals';
import { FakeCluster } from '../fleet/cluster/fake-cluster.fixture.ts';
import { ClusterNotFoundError } from '../fleet/multicluster/cluster-not-found-error.ts';
import { EngagedClusters } from './engaged-clusters.ts';

describe('EngagedClusters', () => {
  it('CL-7: follows engagements, and removes only the instance that is disengaged', async () => {
    const registry = new EngagedClusters();
    const [before, after] = [new FakeCluster(), new FakeCluster()];
    const [first, second] = [new AbortController(), new AbortController()];
    await registry.engage('eu-1', before, first.signal);
    expect(registry.get('eu-1')).toBe(before);
    await registry.engage('eu-1', after, second.signal);
    first.abort();
    expect(registry.get('eu-1')).toBe(after);
    second.abort();
    expect(() => registry.get('eu-1')).toThrow('cluster "eu-1" is not engaged');
    await registry.engage('eu-1', before, first.signal);
    expect(registry.clusterNames()).toEqual([]);
  });

  it('CL-7: iterates over the clusters at the start of the iteration, sorted by name', () => {
    const registry = new EngagedClusters();
    for (const name of ['c', 'a', 'b']) registry.add(name, new FakeCluster());
    const seen: string[] = [];
    registry.forEach((name) => {
      seen.push(name);
      registry.remove('b');
      registry.addOrReplace('d', new FakeCluster());
    });
    expect(seen).toEqual(['a', 'b', 'c']);
    expect(registry.clusterNames()).toEqual(['a', 'c', 'd']);
  });

  it('CL-7: can be filled by the program', () => {
    const registry = new EngagedClusters();
    const [one, other] = [new FakeCluster(), new FakeCluster()];
    registry.add('eu-1', one);
    expect(() => registry.add('eu-1', other)).toThrow('cluster "eu-1" exists already');
    expect(registry.removeIfSame('eu-1', other)).toBe(false);
    expect(registry.removeIfSame('eu-1', one)).toBe(true);
    expect(registry.remove('eu-1')).toBe(false);
    registry.addOrReplace('eu-1', other);
    expect(registry.get('eu-1')).toBe(other);
  });

  it('CL-1: names the cluster that it does not contain', () => {
    expect(() => new EngagedClusters().get('eu-1')).toThrow(ClusterNotFoundError);
  });
});
