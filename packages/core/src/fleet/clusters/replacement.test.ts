import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { VirtualClock } from '@mcr/client/testing';
import { declarationOf } from './cluster-declaration.ts';
import { FakeCluster } from '../cluster/fake-cluster.fixture.ts';
import { Clusters } from './clusters.ts';
import { RecordingAware } from './recording-aware.fixture.ts';

describe('replacing a cluster', () => {
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
  });

  it('CT-11: takes the labels of an equal cluster, and of one with different credentials', async () => {
    const cluster = FakeCluster.ready();
    await clusters.add('a', cluster, aware, end.signal);
    for (const token of ['1', '2']) {
      const wanted = FakeCluster.ready({ token });
      wanted.describe({ labels: { token }, properties: {} });
      await clusters.addOrReplace('a', wanted, aware, end.signal);
      expect(clusters.get('a')).toBe(cluster);
      expect(cluster.info.labels).toEqual({ token });
    }
  });

  it('CL-3: keeps a cluster that is replaced by an equal one', async () => {
    const cluster = FakeCluster.ready();
    await clusters.add('eu-1', cluster, aware, end.signal);
    await clusters.addOrReplace('eu-1', FakeCluster.ready(), aware, end.signal);
    expect(clusters.get('eu-1')).toBe(cluster);
    expect(cluster.rotations).toBe(0);
    expect(aware.engaged).toHaveLength(1);
  });

  it('CL-3: rotates in place if only the credentials differ', async () => {
    const cluster = FakeCluster.ready({ token: 'old' });
    await clusters.add('eu-1', cluster, aware, end.signal);
    const other = new FakeCluster({ token: 'new' });
    await clusters.addOrReplace('eu-1', other, aware, end.signal);
    expect(cluster.config.auth).toEqual({ type: 'token', token: 'new' });
    expect(clusters.get('eu-1')).toBe(cluster);
    expect(other.state).toBe('new');
    expect(aware.engaged).toHaveLength(1);
    expect(aware.reports.at(-1)?.reason).toBe('its credentials were rotated in place');
  });

  it('CL-3: reports and retries a failed rotation until it succeeds', async () => {
    const cluster = FakeCluster.ready({ token: 'old' });
    await clusters.add('eu-1', cluster, aware, end.signal);
    const rotate = cluster.rotate.bind(cluster);
    let tries = 0;
    cluster.rotate = async (config) => {
      tries += 1;
      if (tries < 3) throw new Error('the plugin is not installed');
      await rotate(config);
    };
    clusters.ensure('eu-1', declarationOf(FakeCluster.ready({ token: 'new' })), aware, end.signal);
    await clock.advance(0);
    expect(aware.reports.at(-1)).toMatchObject({
      phase: 'Unreachable',
      reason: 'its new credentials cannot be used: the plugin is not installed',
    });
    expect(errors).toMatchObject([{ name: 'eu-1', error: { message: 'the plugin is not installed' } }]);
    await clock.advance(1_000 + 2_000);
    expect(cluster.config.auth).toEqual({ type: 'token', token: 'new' });
    expect(aware.reports.at(-1)?.reason).toBe('its credentials were rotated in place');
    expect(aware.names).toEqual(['eu-1']);
    await clock.advance(600_000);
    expect(tries).toBe(3);
  });

  it('CL-3: stops retrying a failed rotation once other credentials are requested', async () => {
    const cluster = FakeCluster.ready({ token: 'old' });
    await clusters.add('eu-1', cluster, aware, end.signal);
    const tried: unknown[] = [];
    cluster.rotate = async ({ auth }) => {
      tried.push(auth);
      throw new Error('the plugin is not installed');
    };
    clusters.ensure('eu-1', declarationOf(FakeCluster.ready({ token: 'new' })), aware, end.signal);
    await clock.advance(0);
    clusters.ensure('eu-1', declarationOf(FakeCluster.ready({ token: 'old' })), aware, end.signal);
    await clock.advance(600_000);
    expect(tried).toEqual([{ type: 'token', token: 'new' }]);
    expect(aware.reports.at(-1)?.reason).toBe('its current configuration is wanted again');
  });

  it('CL-6: reports nothing about a rotation after the cluster was removed', async () => {
    await clusters.add('eu-1', FakeCluster.ready({ token: 'old' }), aware, end.signal);
    clusters.ensure('eu-1', declarationOf(FakeCluster.ready({ token: 'new' })), aware, end.signal);
    const removed = clusters.remove('eu-1');
    const told = aware.reports.length;
    await removed;
    expect(aware.reports).toHaveLength(told);
  });

  it('CL-3: keeps the old endpoint until the new one of the same cluster is engaged', async () => {
    const old = FakeCluster.ready({ server: 'https://old', uid: 'same' });
    await clusters.add('eu-1', old, aware, end.signal);
    const next = new FakeCluster({ server: 'https://new', uid: 'same' });
    const replaced = clusters.addOrReplace('eu-1', next, aware, end.signal);
    await clock.advance(10_000);
    expect(clusters.get('eu-1')).toBe(old);

    let oldEngagedAtEngage: boolean | undefined;
    const engage = aware.engage.bind(aware);
    aware.engage = (name, cluster, signal) => {
      oldEngagedAtEngage = !aware.engaged[0]?.signal.aborted;
      return engage(name, cluster, signal);
    };
    next.answer();
    await replaced;
    expect(oldEngagedAtEngage).toBe(true);
    expect(clusters.get('eu-1')).toBe(next);
    expect(aware.engaged[0]?.signal.aborted).toBe(true);
    expect(aware.names).toEqual(['eu-1']);
  });

  it('CL-3: ends the old engagement first if the name moves to another cluster', async () => {
    const old = FakeCluster.ready({ server: 'https://old', uid: 'one' });
    await clusters.add('eu-1', old, aware, end.signal);
    let oldEngagedAtEngage: boolean | undefined;
    const engage = aware.engage.bind(aware);
    aware.engage = (name, cluster, signal) => {
      oldEngagedAtEngage = !aware.engaged[0]?.signal.aborted;
      return engage(name, cluster, signal);
    };
    const next = FakeCluster.ready({ server: 'https://new', uid: 'another' });
    await clusters.addOrReplace('eu-1', next, aware, end.signal);
    expect(oldEngagedAtEngage).toBe(false);
    expect(clusters.get('eu-1')).toBe(next);
  });

  it('CL-3: keeps the old endpoint if the new one does not become ready', async () => {
    const old = FakeCluster.ready({ server: 'https://old' });
    await clusters.add('eu-1', old, aware, end.signal);
    const replaced = clusters.addOrReplace('eu-1', new FakeCluster({ server: 'https://new' }), aware, end.signal);
    const refused = expect(replaced).rejects.toThrow('not ready within');
    await clock.advance(30_000);
    await refused;
    expect(clusters.get('eu-1')).toBe(old);
    expect(aware.names).toEqual(['eu-1']);
  });

  it('CL-3: keeps the old endpoint if it is wanted again while the identities are being compared', async () => {
    const old = FakeCluster.ready({ server: 'https://old' });
    await clusters.add('eu-1', old, aware, end.signal);
    const next = FakeCluster.ready({ server: 'https://new' });
    const identity = Promise.withResolvers<never>();
    next.apiReader.get = () => identity.promise;
    clusters.ensure('eu-1', declarationOf(next), aware, end.signal);
    await clock.advance(0);
    clusters.ensure('eu-1', declarationOf(FakeCluster.ready({ server: 'https://old' })), aware, end.signal);
    identity.reject(new Error('aborted'));
    await clock.advance(0);
    expect(clusters.get('eu-1')).toBe(old);
    expect(aware.names).toEqual(['eu-1']);
    expect(next.state).toBe('stopped');
  });

  it('CL-3: reports that the old endpoint is wanted again before the new one has answered', async () => {
    const endpoint = (server: string) =>
      clusters.ensure('eu-1', declarationOf(FakeCluster.ready({ server })), aware, end.signal);
    endpoint('https://old');
    await clock.advance(0);
    clusters.ensure('eu-1', declarationOf(new FakeCluster({ server: 'https://dead' })), aware, end.signal);
    expect(aware.reports.at(-1)?.reason).toContain('its new endpoint is not in use yet');
    endpoint('https://old');
    expect(aware.reports.at(-1)?.reason).toBe('its current configuration is wanted again');
  });
});
