import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { getEventListeners } from 'node:events';
import { VirtualClock } from '@mcr/client/testing';
import { collectGarbage, growthOfHeap } from '../../../../client/src/garbage/garbage.fixture.ts';
import { FakeCluster } from '../cluster/fake-cluster.fixture.ts';
import { isClusterNotFound } from '../multicluster/cluster-not-found-error.ts';
import { isNotOwner } from '../multicluster/not-owner-error.ts';
import type { Ownership } from '../multicluster/ownership.ts';
import type { ClusterDeclaration } from './cluster-declaration.ts';
import { declarationOf, madeOnDemand } from './cluster-declaration.ts';
import { Clusters } from './clusters.ts';
import { FakeOwnership } from './fake-ownership.fixture.ts';
import { RecordingAware } from './recording-aware.fixture.ts';

class ShardedAware extends RecordingAware {
  readonly ownership: Ownership;

  constructor(ownership: Ownership) {
    super();
    this.ownership = ownership;
  }
}

describe('clusters of a sharded fleet', () => {
  let clock: VirtualClock;
  let ownership: FakeOwnership;
  let aware: ShardedAware;
  let errors: string[];
  let clusters: Clusters<FakeCluster>;
  let end: AbortController;
  /** The clusters that were made, in order. */
  let made: FakeCluster[];

  beforeEach(() => {
    clock = new VirtualClock();
    ownership = new FakeOwnership();
    aware = new ShardedAware(ownership);
    errors = [];
    made = [];
    end = new AbortController();
    clusters = new Clusters({
      clock,
      random: () => 0,
      onError: (error, name) => errors.push(`${name}: ${error.message}`),
    });
  });

  afterEach(async () => {
    await clusters.removeAll();
    expect(clock.pendingTimers).toBe(0);
    expect(ownership.declared.size).toBe(0);
    expect(ownership.listeners).toBe(0);
    expect(getEventListeners(end.signal, 'abort')).toEqual([]);
  });

  /** @param options.answers whether the cluster answers. Default: yes. */
  const declaration = (
    { token = '1', server = 'https://a' }: { readonly token?: string; readonly server?: string } = {},
    { answers = true }: { readonly answers?: boolean } = {},
  ): ClusterDeclaration<FakeCluster> => ({
    config: () => ({ server, auth: { type: 'token', token } }),
    make: (_config, { info }) => {
      const cluster = new FakeCluster({ server, token });
      cluster.describe({ labels: {}, properties: {}, ...info });
      if (answers) cluster.answer();
      made.push(cluster);
      return cluster;
    },
  });
  const refused = (name: string): unknown => {
    try {
      return clusters.get(name);
    } catch (error) {
      return error;
    }
  };
  const last = () => {
    const report = aware.reports.at(-1);
    return `${report?.phase}: ${report?.reason}`;
  };

  it('SH-9: makes nothing for a cluster that is owned elsewhere, and engages it when this process is its next owner', async () => {
    clusters.ensure('eu-1', declaration(), aware, end.signal);
    await clock.advance(60_000);
    expect(made).toEqual([]);
    expect(aware.engaged).toEqual([]);
    expect([...ownership.declared]).toEqual(['eu-1']);
    expect(clusters.has('eu-1')).toBe(true);
    expect(clusters.clusterNames()).toEqual([]);
    expect(last()).toBe('Discovered: another replica owns it');

    ownership.set('warming', 'eu-1');
    await clock.advance(0);
    expect(aware.names).toEqual(['eu-1']);
    for (const state of ['active', 'draining'] as const) ownership.set(state, 'eu-1');
    await clock.advance(0);
    expect(made).toHaveLength(1);
    expect(clusters.get('eu-1')).toBe(made[0]);
    expect(aware.engaged).toHaveLength(1);
  });

  it('SH-9: stops and releases a cluster that moves away, and makes another one when it comes back', async () => {
    ownership.set('active', 'eu-1');
    clusters.ensure('eu-1', declaration(), aware, end.signal);
    await clock.advance(0);
    ownership.set('elsewhere', 'eu-1');
    expect(aware.names).toEqual([]);
    expect(aware.engaged[0]?.signal.reason).toMatchObject({ message: 'another replica owns it' });
    expect(last()).toBe('Discovered: another replica owns it');
    await clock.advance(0);
    expect(made[0]?.state).toBe('stopped');
    expect(errors).toEqual([]);
    ownership.set('warming', 'eu-1');
    await clock.advance(0);
    expect(made).toHaveLength(2);
    expect(clusters.get('eu-1')).toBe(made[1]);
  });

  it('names the owner if a cluster is requested that is owned elsewhere', async () => {
    clusters.ensure('eu-1', declaration(), aware, end.signal);
    const error = refused('eu-1');
    expect(isNotOwner(error)).toBe(true);
    expect(error).toMatchObject({ clusterName: 'eu-1', owner: 'replica-b' });
    expect(isClusterNotFound(refused('unknown'))).toBe(true);
    clusters.ensure('eu-2', declaration({}, { answers: false }), aware, end.signal);
    ownership.set('warming', 'eu-2');
    expect(isClusterNotFound(refused('eu-2'))).toBe(true);
  });

  it('flips while it connects: nothing stays, and the cluster is engaged once', async () => {
    clusters.ensure('eu-1', declaration({}, { answers: false }), aware, end.signal);
    for (let turn = 0; turn < 3; turn++) {
      ownership.set('warming', 'eu-1');
      await clock.advance(turn * 10_000);
      ownership.set('elsewhere', 'eu-1');
    }
    await clock.advance(0);
    expect(made.map(({ state }) => state)).toEqual(['stopped', 'stopped', 'stopped']);
    expect(clock.pendingTimers).toBe(0);
    ownership.set('warming', 'eu-1');
    made.at(-1)?.answer();
    await clock.advance(0);
    expect(aware.engaged.map(({ cluster }) => cluster)).toEqual([made[3]]);
  });

  it('uses the latest declaration: rotation, replacement and description while the cluster is owned elsewhere', async () => {
    clusters.ensure('eu-1', declaration({ token: 'old' }), aware, end.signal);
    clusters.ensure('eu-1', declaration({ token: 'new' }), aware, end.signal);
    clusters.ensure('eu-1', declaration({ server: 'https://moved' }), aware, end.signal);
    clusters.describe('eu-1', { labels: { env: 'prod' }, properties: {} });
    expect(made).toEqual([]);
    ownership.set('active', 'eu-1');
    await clock.advance(0);
    expect(made).toHaveLength(1);
    expect(clusters.get('eu-1')).toMatchObject({
      config: { server: 'https://moved' },
      info: { labels: { env: 'prod' } },
      rotations: 0,
    });
  });

  it('makes nothing for a declaration that equals the present cluster, or has other credentials', async () => {
    ownership.set('active', 'eu-1');
    for (const token of ['1', '1', '2']) {
      clusters.ensure('eu-1', declaration({ token }), aware, end.signal);
      await clock.advance(0);
    }
    expect(made).toHaveLength(1);
    expect(made[0]).toMatchObject({ rotations: 1, config: { auth: { token: '2' } } });
  });

  it('forgets a cluster that is removed while it is owned elsewhere', async () => {
    clusters.ensure('eu-1', declaration(), aware, end.signal);
    clusters.ensure('eu-2', declaration(), aware, end.signal);
    await clusters.remove('eu-1', { reason: 'its Secret was deleted' });
    expect(last()).toBe('Disengaged: its Secret was deleted');
    await clusters.sync(new Map(), aware, end.signal);
    expect(ownership.declared.size).toBe(0);
    expect(clusters.has('eu-2')).toBe(false);
    ownership.set('active', 'eu-1', 'eu-2');
    await clock.advance(0);
    expect(made).toEqual([]);
  });

  it('forgets a cluster when its signal aborts', async () => {
    const own = new AbortController();
    clusters.ensure('eu-1', declaration(), aware, own.signal);
    clusters.ensure('eu-2', declaration(), aware, end.signal);
    own.abort();
    expect([...ownership.declared]).toEqual(['eu-2']);
    expect(clusters.has('eu-1')).toBe(false);
    clusters.ensure('eu-1', declaration(), aware, own.signal);
    ownership.set('active', 'eu-1');
    await clock.advance(0);
    expect(clusters.has('eu-1')).toBe(false);
  });

  it('add resolves at once if the cluster is owned elsewhere, and also if it moves away meanwhile', async () => {
    const [waits, connects] = [FakeCluster.ready(), new FakeCluster()];
    await clusters.add('waits', waits, aware, end.signal);
    expect(waits.state).toBe('new');
    await expect(clusters.add('waits', waits, aware, end.signal)).rejects.toThrow('exists already');
    ownership.set('active', 'connects');
    const added = clusters.add('connects', connects, aware, end.signal);
    await clock.advance(0);
    ownership.set('elsewhere', 'connects');
    await added;
    ownership.set('active', 'waits');
    await clock.advance(0);
    expect(clusters.get('waits')).toBe(waits);
  });

  it('reports a cluster object that comes back after it has run', async () => {
    ownership.set('active', 'eu-1');
    await clusters.add('eu-1', FakeCluster.ready(), aware, end.signal);
    ownership.set('elsewhere', 'eu-1');
    ownership.set('warming', 'eu-1');
    expect(last()).toContain('Unreachable: cluster "eu-1" has run in this process before');
    expect(errors).toHaveLength(1);
    expect(ownership.warm).toEqual(['eu-1']);
  });

  it('a cluster that cannot be reached counts as warm, and is engaged when it answers', async () => {
    clusters.ensure('eu-1', declaration({}, { answers: false }), aware, end.signal);
    ownership.set('warming', 'eu-1');
    await clock.advance(29_999);
    expect(ownership.warm).toEqual([]);
    await clock.advance(1);
    expect(ownership.warm).toEqual(['eu-1']);
    made[0]?.answer();
    await clock.advance(1_000);
    expect(aware.names).toEqual(['eu-1']);
  });

  it('PV-4: a declaration that cannot be used affects no other cluster, and keeps the present one', async () => {
    const broken: ClusterDeclaration<FakeCluster> = {
      ...declaration(),
      config: () => {
        throw new Error('the kubeconfig has no clusters');
      },
    };
    const desired = (first: ClusterDeclaration<FakeCluster>) => new Map(Object.entries({ a: first, b: declaration() }));
    ownership.set('active', 'a');
    await clusters.sync(desired(declaration()), aware, end.signal);
    await clock.advance(0);
    await clusters.sync(desired(broken), aware, end.signal);
    expect(errors).toEqual(['a: the kubeconfig has no clusters']);
    expect(last()).toBe('Unreachable: the kubeconfig has no clusters');
    expect(aware.names).toEqual(['a']);

    // The last declaration that could be used counts.
    ownership.set('elsewhere', 'a');
    ownership.set('active', 'a', 'b');
    await clock.advance(0);
    expect(aware.names).toEqual(['a', 'b']);
    expect(() => clusters.ensure('c', broken, aware, end.signal)).not.toThrow();
    expect(() => clusters.ensure('a', broken, aware, end.signal)).toThrow('the kubeconfig has no clusters');
  });

  it('CL-5: forgets the declaration of a cluster that stopped by itself, so that its provider discovers it again', async () => {
    ownership.set('active', 'eu-1');
    clusters.ensure('eu-1', declaration(), aware, end.signal);
    await clock.advance(0);
    made[0]?.fail(new Error('out of memory'));
    await clock.advance(0);
    expect(errors).toEqual(['eu-1: cluster "eu-1" stopped by itself: out of memory']);
    expect(clusters.has('eu-1')).toBe(false);
    clusters.ensure('eu-1', declaration(), aware, end.signal);
    await clock.advance(0);
    expect(clusters.get('eu-1')).toBe(made[1]);
  });

  it('without an ownership, serves every cluster and keeps no declaration', async () => {
    const plain = new RecordingAware();
    clusters.ensure('eu-1', declaration(), plain, end.signal);
    await clock.advance(0);
    expect(plain.names).toEqual(['eu-1']);
    made[0]?.fail(new Error('out of memory'));
    await clock.advance(0);
    expect(clusters.has('eu-1')).toBe(false);
  });

  it('SH-9: ten thousand clusters that are owned elsewhere make nothing, share their listeners, and cost little memory', async () => {
    const quiet = { engage: async () => undefined, ownership };
    const count = 2_000;
    const growth = await growthOfHeap((round) => {
      // The declarations and the names, which the provider holds in practice, count here.
      for (let n = 0; n < count; n++) clusters.ensure(`cluster-${n}-of-${round}`, declaration(), quiet, end.signal);
    });
    expect(made).toEqual([]);
    expect(ownership.listeners).toBe(1);
    expect(getEventListeners(end.signal, 'abort')).toHaveLength(1);
    expect(clock.pendingTimers).toBe(0);
    expect(growth / count).toBeLessThan(2_000);
  });

  it('SH-9: a thousand moves give back the memory of the clusters that moved away', async () => {
    const names = Array.from({ length: 10 }, (_, index) => `cluster-${index}`);
    const gone: WeakRef<FakeCluster>[] = [];
    const quiet = { engage: async () => undefined, ownership };
    for (const name of names) clusters.ensure(name, declaration(), quiet, end.signal);
    for (let turn = 0; turn < 100; turn++) {
      ownership.set('active', ...names);
      await clock.advance(0);
      ownership.set('elsewhere', ...names);
      await clock.advance(0);
      for (const cluster of made.splice(0)) gone.push(new WeakRef(cluster));
    }
    expect(gone).toHaveLength(1_000);
    for (let pass = 0; pass < 3; pass += 1) await collectGarbage();
    expect(gone.filter((cluster) => cluster.deref() !== undefined).length).toBeLessThanOrEqual(10);
  });

  it('a declaration of a function makes another cluster each time, and keeps none that is only compared', async () => {
    const created: FakeCluster[] = [];
    const wanted = madeOnDemand(() => {
      const cluster = FakeCluster.ready({ token: String(created.length) });
      created.push(cluster);
      return cluster;
    });
    const config = wanted.config();
    expect(wanted.make(config, { name: 'eu-1', info: {} })).toBe(created[0]);
    expect(wanted.config().auth).toMatchObject({ token: '1' });
    await clock.advance(0);
    expect(wanted.make(config, { name: 'eu-1', info: {} })).toBe(created[2]);
  });

  it('a declaration of a cluster object makes it once', () => {
    const cluster = new FakeCluster();
    const { make } = declarationOf(cluster);
    expect(make(cluster.config, { name: 'eu-1', info: {} })).toBe(cluster);
    expect(() => make(cluster.config, { name: 'eu-1', info: {} })).toThrow('a cluster object runs once');
  });
});
