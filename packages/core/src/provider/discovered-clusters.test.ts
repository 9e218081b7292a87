import { describe, expect, it } from '@jest/globals';
import { VirtualClock } from '@mcr/client/testing';
import { eventually } from '../testing/eventually.ts';
import { FakeOwnership } from '../fleet/clusters/fake-ownership.fixture.ts';
import { DiscoveredClusters } from './discovered-clusters.ts';
import { discoveryScene } from './discovery-scene.fixture.ts';

function scene() {
  const discovery = discoveryScene();
  const rediscovered: string[] = [];
  const clock = new VirtualClock();
  const clusters = new DiscoveredClusters({
    clusterOptions: { clock },
    newCluster: discovery.newCluster,
    rediscover: (name) => void rediscovered.push(name),
  });
  return { ...discovery, clusters, clock, rediscovered };
}

describe('DiscoveredClusters', () => {
  it('PV-2: creates a cluster for an entry once, and again only when the entry has changed', async () => {
    const { clusters, aware, made, engaged, entry } = scene();
    clusters.open({ aware, signal: new AbortController().signal });
    clusters.set('eu-1', entry('1'));
    clusters.set('eu-1', entry('1'));
    await eventually(() => expect([...engaged]).toEqual(['eu-1']));
    expect(made).toHaveLength(1);
    clusters.set('eu-1', entry('2'));
    await eventually(() => expect(made[0]?.rotations).toBe(1));
    expect(clusters.get('eu-1')).toBe(made[0]);
    await clusters.close();
    expect([...engaged]).toEqual([]);
  });

  it('PV-4: an entry that becomes invalid keeps its cluster, is reported once, and once more when it is valid again', async () => {
    const { clusters, aware, reports, engaged, entry } = scene();
    clusters.open({ aware, signal: new AbortController().signal });
    clusters.set('eu-1', entry('1'));
    await eventually(() => expect([...engaged]).toEqual(['eu-1']));
    const bad = {
      ...entry('2'),
      config: () => {
        throw new Error('the kubeconfig has no clusters');
      },
    };
    reports.length = 0;
    clusters.set('eu-1', bad);
    clusters.set('eu-1', bad);
    expect([...engaged]).toEqual(['eu-1']);
    expect(reports).toEqual([
      'eu-1 Unreachable: the kubeconfig has no clusters; the cluster keeps its last good configuration',
    ]);
    clusters.set('eu-1', entry('1'));
    expect(reports).toHaveLength(2);
    expect(reports[1]).toBe('eu-1 Connecting: its entry can be used again');
    await clusters.close();
  });

  it('FL-1, PV-4: an entry that becomes invalid while its cluster is connecting is reported again once it is engaged', async () => {
    const { clusters, aware, reports, engaged, entry } = scene();
    clusters.open({ aware, signal: new AbortController().signal });
    clusters.set('eu-1', entry('1'));
    clusters.refuse('eu-1', new Error('the kubeconfig has no clusters'));
    const problem = 'eu-1 Unreachable: the kubeconfig has no clusters; the cluster keeps its last good configuration';
    expect([...engaged]).toEqual([]);
    expect(reports.at(-1)).toBe(problem);
    reports.length = 0;
    await eventually(() => expect(reports).toEqual([problem]));
    expect([...engaged]).toEqual(['eu-1']);
    await clusters.close();
  });

  it('a postponed entry is disengaged, and reported as discovered if it never had a cluster', async () => {
    const { clusters, aware, reports, engaged, entry } = scene();
    clusters.open({ aware, signal: new AbortController().signal });
    clusters.postpone('eu-1', 'no control plane yet');
    clusters.postpone('eu-1', 'no control plane yet');
    expect(reports).toEqual(['eu-1 Discovered: no control plane yet']);
    clusters.set('eu-1', entry('1'));
    await eventually(() => expect([...engaged]).toEqual(['eu-1']));
    clusters.postpone('eu-1', 'its control plane is gone');
    await eventually(() => expect([...engaged]).toEqual([]));
    clusters.set('eu-1', entry('1'));
    await eventually(() => expect([...engaged]).toEqual(['eu-1']));
    clusters.remove('eu-1', 'it was deleted');
    await eventually(() => expect([...engaged]).toEqual([]));
    expect(clusters.names()).toEqual([]);
    await clusters.close();
  });

  it('CL-5: asks for a cluster that stopped by itself to be discovered again after 5 s', async () => {
    const { clusters, clock, aware, made, rediscovered, engaged, entry } = scene();
    clusters.open({ aware, signal: new AbortController().signal });
    clusters.set('eu-1', entry('1'));
    await eventually(() => expect([...engaged]).toEqual(['eu-1']));
    made[0]?.fail(new Error('out of memory'));
    await clock.advance(4_999);
    expect(rediscovered).toEqual([]);
    await clock.advance(1);
    expect(rediscovered).toEqual(['eu-1']);
    clusters.set('eu-1', entry('1'));
    await eventually(() => expect([...engaged]).toEqual(['eu-1']));
    expect(made).toHaveLength(2);
    await clusters.close();
  });

  it('PV-2: ignores entries while it is closed, and accepts them all again when it is reopened', async () => {
    const { clusters, aware, made, engaged, entry } = scene();
    clusters.set('eu-1', entry('1'));
    clusters.refuse('eu-2', new Error('no kubeconfig'));
    clusters.postpone('eu-3', 'no control plane yet');
    expect(made).toEqual([]);
    expect(clusters.names()).toEqual([]);
    for (let time = 1; time <= 2; time++) {
      clusters.open({ aware, signal: new AbortController().signal });
      expect(clusters.isOpen).toBe(true);
      clusters.set('eu-1', entry('1'));
      await eventually(() => expect([...engaged]).toEqual(['eu-1']));
      await clusters.close();
      expect(made).toHaveLength(time);
    }
    expect(() => clusters.get('eu-1')).toThrow('cluster "eu-1" is not engaged');
  });

  it('PV-7: labels, properties and another origin are updated without a rotation or another engagement', async () => {
    const { clusters, aware, made, engaged, entry } = scene();
    clusters.open({ aware, signal: new AbortController().signal });
    const origin = (uid: string, resourceVersion: string) => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'eu-1', uid, resourceVersion, creationTimestamp: '2025-01-01T00:00:00Z' },
    });
    const known = (env: string, uid: string, resourceVersion: string) =>
      clusters.set('eu-1', {
        ...entry('1'),
        info: { provider: 'test', labels: { env }, properties: {}, origin: origin(uid, resourceVersion) },
      });
    known('test', 'first', '1');
    await eventually(() => expect([...engaged]).toEqual(['eu-1']));
    const cluster = clusters.get('eu-1');
    known('prod', 'first', '2');
    expect(cluster.info).toMatchObject({ labels: { env: 'prod' } });
    known('prod', 'second', '3');
    expect(cluster.info.origin).toEqual(origin('second', '3'));
    const count = made.length;
    known('prod', 'second', '4');
    expect(made).toHaveLength(count);
    expect(clusters.get('eu-1')).toBe(cluster);
    expect(made[0]?.rotations).toBe(0);
    await clusters.close();
  });
});

describe('DiscoveredClusters of a sharded fleet', () => {
  function sharded() {
    const parts = scene();
    const ownership = new FakeOwnership();
    const end = new AbortController();
    parts.clusters.open({ aware: { ...parts.aware, ownership }, signal: end.signal });
    return { ...parts, ownership };
  }

  it('SH-9: neither reads the configuration of a cluster that is owned elsewhere nor makes it', async () => {
    const { clusters, ownership, made, engaged, entry, reports } = sharded();
    let reads = 0;
    const counted = (digest: string) => {
      const { config, ...rest } = entry(digest);
      return { ...rest, config: () => (reads++, config()) };
    };
    for (const digest of ['1', '1', '2']) clusters.set('eu-1', counted(digest));
    expect(reads).toBe(0);
    expect(made).toEqual([]);
    expect(clusters.has('eu-1')).toBe(true);
    expect(reports).toEqual(['eu-1 Discovered: another replica owns it']);
    ownership.set('warming', 'eu-1');
    await eventually(() => expect([...engaged]).toEqual(['eu-1']));
    expect(made).toHaveLength(1);
    expect(clusters.get('eu-1').config.auth).toMatchObject({ token: '2' });
    await clusters.close();
    expect(ownership.declared.size).toBe(0);
    expect(ownership.listeners).toBe(0);
  });

  it('SH-9, PV-4: refuses an invalid entry when this process is to own it, and tries it again at the next discovery', async () => {
    const { clusters, ownership, engaged, entry, reports } = sharded();
    let isBroken = true;
    const discovered = {
      ...entry('1'),
      config: () => {
        if (isBroken) throw new Error('the kubeconfig has no clusters');
        return entry('1').config();
      },
    };
    clusters.set('eu-1', discovered);
    ownership.set('warming', 'eu-1');
    expect(reports.at(-1)).toMatch('eu-1 Unreachable: the kubeconfig has no clusters');
    expect(ownership.warm).toEqual(['eu-1']);
    isBroken = false;
    clusters.set('eu-1', discovered);
    await eventually(() => expect([...engaged]).toEqual(['eu-1']));
    await clusters.close();
  });

  it('SH-9: removes and postpones a cluster that is owned elsewhere', async () => {
    const { clusters, ownership, made, entry, reports } = sharded();
    for (const name of ['a', 'b']) clusters.set(name, entry('1'));
    clusters.remove('a', 'it was deleted');
    clusters.postpone('b', 'no control plane yet');
    expect(reports.slice(-2)).toEqual(['a Disengaged: it was deleted', 'b Disengaged: no control plane yet']);
    ownership.set('active', 'a', 'b');
    await clusters.close();
    expect(made).toEqual([]);
    expect(ownership.declared.size).toBe(0);
  });
});
