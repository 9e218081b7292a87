import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { getEventListeners } from 'node:events';
import { ConfigMap } from '@mcr/client';
import { VirtualClock } from '@mcr/client/testing';
import { declarationOf } from './cluster-declaration.ts';
import { FakeCluster } from '../cluster/fake-cluster.fixture.ts';
import type { Aware, ClusterObservation } from '../multicluster/aware.ts';
import { isClusterNotFound } from '../multicluster/cluster-not-found-error.ts';
import { Clusters } from './clusters.ts';
import { RecordingAware } from './recording-aware.fixture.ts';

const declared = (clusters: ReadonlyMap<string, FakeCluster>) =>
  new Map([...clusters].map(([name, cluster]) => [name, declarationOf(cluster)]));

describe('Clusters', () => {
  let clock: VirtualClock;
  let aware: RecordingAware;
  let errors: { name: string; error: Error }[];
  let clusters: Clusters<FakeCluster>;
  let end: AbortController;

  beforeEach(() => {
    clock = new VirtualClock();
    aware = new RecordingAware();
    errors = [];
    end = new AbortController();
    clusters = new Clusters({ clock, random: () => 0, onError: (error, name) => errors.push({ name, error }) });
  });

  afterEach(async () => {
    end.abort();
    await clusters.removeAll();
    expect(clock.pendingTimers).toBe(0);
    expect(getEventListeners(end.signal, 'abort')).toEqual([]);
  });

  it('refuses options that are unknown or wrong, and names them', () => {
    expect(() => new Clusters({ concurrency: 0 })).toThrow(/^Clusters: option "concurrency"/);
    expect(() => new Clusters({ concurency: 8 } as object)).toThrow('Clusters: unknown option "concurency"');
  });

  it('CL-1: refuses an unknown name, and lists the engaged clusters sorted by name', async () => {
    expect(() => clusters.get('nowhere')).toThrow('cluster "nowhere" is not engaged');
    for (const name of ['b', 'c', 'a']) await clusters.add(name, FakeCluster.ready(), aware, end.signal);
    clusters.ensure('connecting', declarationOf(new FakeCluster()), aware, end.signal);
    expect(clusters.clusterNames()).toEqual(['a', 'b', 'c']);
    let error: unknown;
    try {
      clusters.get('connecting');
    } catch (caught) {
      error = caught;
    }
    expect(isClusterNotFound(error)).toBe(true);
  });

  it('CL-2: runs a cluster, waits until it is ready, indexes it, and then engages it', async () => {
    await clusters.indexField(ConfigMap, 'by-team', () => []);
    const cluster = new FakeCluster();
    const added = clusters.add('eu-1', cluster, aware, end.signal);
    await clock.advance(0);
    expect(cluster.state).toBe('running');
    expect(aware.names).toEqual([]);
    expect(clusters.clusterNames()).toEqual([]);
    cluster.answer();
    await added;
    expect(cluster.indexes).toEqual(['by-team']);
    expect(aware.names).toEqual(['eu-1']);
    expect(clusters.get('eu-1')).toBe(cluster);
  });

  it('CL-2: removes a cluster that is not ready in time', async () => {
    const cluster = new FakeCluster();
    const added = clusters.add('eu-1', cluster, aware, end.signal);
    const refused = expect(added).rejects.toThrow('it was not ready within 30000 ms');
    await clock.advance(30_000);
    await refused;
    await clusters.removeAll();
    expect(cluster.state).toBe('stopped');
    expect(clusters.has('eu-1')).toBe(false);
    expect(aware.engaged).toEqual([]);
  });

  it('CL-2: removes a cluster whose engagement is refused', async () => {
    const cluster = FakeCluster.ready();
    const reports: ClusterObservation[] = [];
    const refusing: Aware = {
      engage: () => Promise.reject(new Error('no room')),
      report: (_, observation) => void reports.push(observation),
    };
    await expect(clusters.add('eu-1', cluster, refusing, end.signal)).rejects.toThrow('no room');
    expect(errors).toMatchObject([{ name: 'eu-1', error: { message: 'no room' } }]);
    expect(reports.at(-1)).toMatchObject({ phase: 'Disengaged', reason: 'its engagement was refused: no room' });
    await clusters.removeAll();
    expect(cluster.state).toBe('stopped');
    expect(clusters.has('eu-1')).toBe(false);
  });

  it('CL-2: refuses a second add of a name, also while the first is in progress', async () => {
    const first = new FakeCluster();
    const added = clusters.add('eu-1', first, aware, end.signal);
    const again = () => clusters.add('eu-1', FakeCluster.ready(), aware, end.signal);
    await expect(again()).rejects.toThrow('cluster "eu-1" exists already');
    first.answer();
    await added;
    await expect(again()).rejects.toThrow('cluster "eu-1" exists already');
    expect(clusters.get('eu-1')).toBe(first);
  });

  it('CL-8: reports an exception of compare, and continues with the other clusters', async () => {
    const mistaken = new Clusters<FakeCluster>({
      clock: () => clock,
      onError: (error, name) => errors.push({ name, error }),
      compare: (_, { config }) => {
        if (config.server === 'https://worse') throw new TypeError('no such field');
        return 'none';
      },
    });
    const both = (server: string) =>
      new Map([
        ['eu-1', declarationOf(FakeCluster.ready({ server }))],
        ['eu-2', declarationOf(FakeCluster.ready())],
      ]);
    await mistaken.sync(both('https://good'), aware, end.signal);
    await clock.advance(0);
    await mistaken.sync(both('https://worse'), aware, end.signal);
    expect(errors).toMatchObject([{ name: 'eu-1', error: { message: 'no such field' } }]);
    expect(aware.names).toEqual(['eu-1', 'eu-2']);
    await mistaken.removeAll();
  });

  it('CL-4: adds an index once to each current and future cluster', async () => {
    const [before, connecting, after] = [FakeCluster.ready(), new FakeCluster(), FakeCluster.ready()];
    await clusters.add('before', before, aware, end.signal);
    clusters.ensure('connecting', declarationOf(connecting), aware, end.signal);
    const byTeam = () => [];
    await clusters.indexField(ConfigMap, 'by-team', byTeam);
    await clusters.indexField(ConfigMap, 'by-team', byTeam);
    await clusters.add('after', after, aware, end.signal);
    connecting.answer();
    await clock.advance(0);
    for (const cluster of [before, connecting, after]) expect(cluster.indexes).toEqual(['by-team']);
  });

  it('CL-4: adds an index that is registered while a cluster is being indexed', async () => {
    const cluster = FakeCluster.ready();
    await clusters.indexField(ConfigMap, 'first', () => []);
    cluster.fieldIndexer.indexField = async (_kind, name) => {
      cluster.indexes.push(name);
      if (name === 'first') await clusters.indexField(ConfigMap, 'second', () => []);
    };
    await clusters.add('eu-1', cluster, aware, end.signal);
    expect(cluster.indexes).toEqual(['first', 'second']);
  });

  it('CL-5: removes a cluster that stops by itself, and reports it', async () => {
    const cluster = FakeCluster.ready();
    await clusters.add('eu-1', cluster, aware, end.signal);
    cluster.fail(new Error('out of memory'));
    await clock.advance(0);
    expect(errors).toMatchObject([
      {
        name: 'eu-1',
        error: { message: 'cluster "eu-1" stopped by itself: out of memory', cause: { message: 'out of memory' } },
      },
    ]);
    expect(clusters.has('eu-1')).toBe(false);
    expect(aware.names).toEqual([]);
  });

  it('CL-6: a removal during an unfinished add wins', async () => {
    const cluster = new FakeCluster();
    const added = clusters.add('eu-1', cluster, aware, end.signal);
    const refused = expect(added).rejects.toThrow('cluster "eu-1" was not engaged: its Secret was deleted');
    await clock.advance(0);
    await clusters.remove('eu-1', { reason: 'its Secret was deleted' });
    expect(cluster.state).toBe('stopped');
    cluster.answer();
    await refused;
    await clock.advance(60_000);
    expect(aware.engaged).toEqual([]);
    expect(clusters.has('eu-1')).toBe(false);
  });

  it('CL-6: a removal wins while the cluster is being engaged', async () => {
    const engaging = Promise.withResolvers<void>();
    const slow: Aware = { engage: () => engaging.promise };
    const added = clusters.add('eu-1', FakeCluster.ready(), slow, end.signal);
    const refused = expect(added).rejects.toThrow('was not engaged');
    await clock.advance(0);
    await clusters.remove('eu-1');
    engaging.resolve();
    await refused;
    expect(clusters.has('eu-1')).toBe(false);
  });

  it('ends an engagement with the reason, and resolves when the cluster has stopped', async () => {
    const cluster = FakeCluster.ready();
    await clusters.add('eu-1', cluster, aware, end.signal);
    const removed = clusters.remove('eu-1', { reason: 'its Secret was deleted' });
    expect(aware.engaged[0]?.signal.reason).toMatchObject({ message: 'its Secret was deleted' });
    expect(clusters.has('eu-1')).toBe(false);
    await removed;
    expect(cluster.state).toBe('stopped');
  });

  it('ensure: retries until the cluster answers, and reports each attempt', async () => {
    const cluster = new FakeCluster();
    clusters.ensure('eu-1', declarationOf(cluster), aware, end.signal);
    await clock.advance(30_000);
    expect(aware.reports.map(({ phase }) => phase)).toEqual(['Connecting', 'Unreachable']);
    expect(aware.reports[1]?.reason).toContain('not ready within');
    await clock.advance(1_000 + 30_000 + 2_000);
    cluster.answer();
    await clock.advance(0);
    expect(aware.names).toEqual(['eu-1']);
  });

  it('ensure: supersedes an unfinished call with the same name', async () => {
    const [wrong, right] = [new FakeCluster({ token: 'wrong' }), FakeCluster.ready({ token: 'right' })];
    clusters.ensure('eu-1', declarationOf(wrong), aware, end.signal);
    await clock.advance(0);
    clusters.ensure('eu-1', declarationOf(right), aware, end.signal);
    await clock.advance(0);
    expect(wrong.state).toBe('stopped');
    expect(clusters.get('eu-1')).toBe(right);
  });

  it('ensure: reports the removal of a cluster that was never engaged, with the reason', async () => {
    clusters.ensure('eu-1', declarationOf(new FakeCluster()), aware, end.signal);
    await clusters.remove('eu-1', { reason: 'its Secret was deleted' });
    expect(aware.reports.at(-1)).toEqual({ name: 'eu-1', phase: 'Disengaged', reason: 'its Secret was deleted' });
    await clock.advance(600_000);
    expect(aware.engaged).toEqual([]);
  });

  it('CL-8: sync adds, rotates, replaces and removes', async () => {
    const same = FakeCluster.ready();
    const rotated = FakeCluster.ready({ token: 'old' });
    const gone = FakeCluster.ready();
    for (const [name, cluster] of Object.entries({ same, rotated, gone, moved: FakeCluster.ready() })) {
      await clusters.add(name, cluster, aware, end.signal);
    }
    const moved = FakeCluster.ready({ server: 'https://moved' });
    const desired = new Map(
      Object.entries({
        same: FakeCluster.ready(),
        rotated: FakeCluster.ready({ token: 'new' }),
        moved,
        added: FakeCluster.ready(),
      }),
    );
    await clusters.sync(declared(desired), aware, end.signal);
    await clock.advance(0);
    expect(clusters.clusterNames()).toEqual(['added', 'moved', 'rotated', 'same']);
    expect(clusters.get('same')).toBe(same);
    expect(clusters.get('rotated')).toBe(rotated);
    expect(clusters.get('moved')).toBe(moved);
    expect(rotated.rotations).toBe(1);
    expect(gone.state).toBe('stopped');
  });

  it('CL-8: sixteen black holes delay the healthy clusters by a tenth of a second, once', async () => {
    const desired = new Map<string, FakeCluster>();
    for (let i = 0; i < 16; i += 1) desired.set(`black-hole-${i}`, new FakeCluster());
    for (let i = 0; i < 100; i += 1) desired.set(`healthy-${i}`, FakeCluster.ready());
    await clusters.sync(declared(desired), aware, end.signal);
    await clock.advance(100);
    expect(aware.names).toHaveLength(100);
  });
});
