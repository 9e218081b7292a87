import { describe, expect, it } from '@jest/globals';
import { silentLogger, sleep, systemClock } from '@mcr/client';
import type { Aware, ClusterObservation } from '../fleet/multicluster/aware.ts';
import { VirtualClock } from '@mcr/client/testing';
import type { ClusterOptions } from '../fleet/cluster/create-cluster.ts';
import { FakeCluster } from '../fleet/cluster/fake-cluster.fixture.ts';
import type { Manager } from '../manager/manager.ts';
import { eventually } from '../testing/eventually.ts';
import { Roster } from './roster.ts';

/** A roster of clusters that answer at once, and what it told of them. */
function scene(clusterOptions: ClusterOptions = {}) {
  const told: string[] = [];
  const made: FakeCluster[] = [];
  const lost: string[] = [];
  const engaged = new Set<string>();
  const aware: Aware = {
    engage: async (name, _cluster, signal) => {
      engaged.add(name);
      signal.addEventListener('abort', () => engaged.delete(name), { once: true });
    },
    report: (name, { phase, reason }: ClusterObservation) => void told.push(`${name} ${phase}: ${reason}`),
  };
  const roster = new Roster({
    clusterOptions,
    newCluster: ({ server, auth }, { info }) => {
      const cluster = FakeCluster.ready({ server, ...(auth?.type === 'token' && { token: auth.token }) });
      cluster.describe({ labels: {}, properties: {}, ...info });
      made.push(cluster);
      return cluster;
    },
    onLost: (name) => void lost.push(name),
  });
  const entry = (digest: string, server = 'https://a') => ({
    digest,
    config: () => ({ server, auth: { type: 'token' as const, token: digest } }),
    info: { provider: 'test' },
  });
  return { roster, aware, told, made, lost, engaged, entry };
}

describe('Roster', () => {
  it('PV-2: makes a cluster of an entry once, and again only when the entry has changed', async () => {
    const { roster, aware, made, engaged, entry } = scene();
    roster.open({ aware, signal: new AbortController().signal });
    roster.admit('eu-1', entry('1'));
    roster.admit('eu-1', entry('1'));
    await eventually(() => expect([...engaged]).toEqual(['eu-1']));
    expect(made).toHaveLength(1);
    roster.admit('eu-1', entry('2'));
    await eventually(() => expect(made[0]?.rotations).toBe(1));
    expect(roster.get('eu-1')).toBe(made[0]);
    await roster.close();
    expect([...engaged]).toEqual([]);
  });

  it('PV-4: an entry that turns bad keeps its cluster, is told of once, and once more when it is good again', async () => {
    const { roster, aware, told, engaged, entry } = scene();
    roster.open({ aware, signal: new AbortController().signal });
    roster.admit('eu-1', entry('1'));
    await eventually(() => expect([...engaged]).toEqual(['eu-1']));
    const bad = {
      ...entry('2'),
      config: () => {
        throw new Error('the kubeconfig has no clusters');
      },
    };
    told.length = 0;
    roster.admit('eu-1', bad);
    roster.admit('eu-1', bad);
    expect([...engaged]).toEqual(['eu-1']);
    expect(told).toEqual(['eu-1 Unreachable: the kubeconfig has no clusters; the cluster is kept as it was before']);
    roster.admit('eu-1', entry('1'));
    expect(told).toHaveLength(2);
    expect(told[1]).toBe('eu-1 Connecting: its entry can be used again');
    await roster.close();
  });

  it('FL-1, PV-4: an entry that turns bad while its cluster is being connected to is reported again once it is engaged', async () => {
    const { roster, aware, told, engaged, entry } = scene();
    roster.open({ aware, signal: new AbortController().signal });
    roster.admit('eu-1', entry('1'));
    roster.refuse('eu-1', new Error('the kubeconfig has no clusters'));
    const problem = 'eu-1 Unreachable: the kubeconfig has no clusters; the cluster is kept as it was before';
    expect([...engaged]).toEqual([]);
    expect(told.at(-1)).toBe(problem);
    told.length = 0;
    await eventually(() => expect(told).toEqual([problem]));
    expect([...engaged]).toEqual(['eu-1']);
    await roster.close();
  });

  it('an entry that is to wait is disengaged, and told of as discovered when it never was a cluster', async () => {
    const { roster, aware, told, engaged, entry } = scene();
    roster.open({ aware, signal: new AbortController().signal });
    roster.postpone('eu-1', 'no control plane yet');
    roster.postpone('eu-1', 'no control plane yet');
    expect(told).toEqual(['eu-1 Discovered: no control plane yet']);
    roster.admit('eu-1', entry('1'));
    await eventually(() => expect([...engaged]).toEqual(['eu-1']));
    roster.postpone('eu-1', 'its control plane is gone');
    await eventually(() => expect([...engaged]).toEqual([]));
    roster.admit('eu-1', entry('1'));
    await eventually(() => expect([...engaged]).toEqual(['eu-1']));
    roster.remove('eu-1', 'it was deleted');
    await eventually(() => expect([...engaged]).toEqual([]));
    expect(roster.names()).toEqual([]);
    await roster.close();
  });

  it('CL-5: reports a cluster that stops by itself, and takes its entry again', async () => {
    const { roster, aware, made, lost, engaged, entry } = scene();
    roster.open({ aware, signal: new AbortController().signal });
    roster.admit('eu-1', entry('1'));
    await eventually(() => expect([...engaged]).toEqual(['eu-1']));
    made[0]?.fail(new Error('out of memory'));
    await eventually(() => expect(lost).toEqual(['eu-1']));
    roster.admit('eu-1', entry('1'));
    await eventually(() => expect([...engaged]).toEqual(['eu-1']));
    expect(made).toHaveLength(2);
    await roster.close();
  });

  it('PV-2: takes nothing while it is closed, and everything again when it is reopened', async () => {
    const { roster, aware, made, engaged, entry } = scene();
    roster.admit('eu-1', entry('1'));
    roster.refuse('eu-2', new Error('no kubeconfig'));
    roster.postpone('eu-3', 'no control plane yet');
    expect(made).toEqual([]);
    expect(roster.names()).toEqual([]);
    for (let time = 1; time <= 2; time++) {
      roster.open({ aware, signal: new AbortController().signal });
      expect(roster.isOpen).toBe(true);
      roster.admit('eu-1', entry('1'));
      await eventually(() => expect([...engaged]).toEqual(['eu-1']));
      await roster.close();
      expect(made).toHaveLength(time);
    }
    expect(() => roster.get('eu-1')).toThrow('cluster "eu-1" is not engaged');
  });

  it('PV-7: labels, properties and another origin are followed without a rotation or another engagement', async () => {
    const { roster, aware, made, engaged, entry } = scene();
    roster.open({ aware, signal: new AbortController().signal });
    const origin = (uid: string, resourceVersion: string) => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'eu-1', uid, resourceVersion, creationTimestamp: '2025-01-01T00:00:00Z' },
    });
    const known = (env: string, uid: string, resourceVersion: string) =>
      roster.admit('eu-1', {
        ...entry('1'),
        info: { provider: 'test', labels: { env }, properties: {}, origin: origin(uid, resourceVersion) },
      });
    known('test', 'first', '1');
    await eventually(() => expect([...engaged]).toEqual(['eu-1']));
    const cluster = roster.get('eu-1');
    known('prod', 'first', '2');
    expect(cluster.info).toMatchObject({ labels: { env: 'prod' } });
    known('prod', 'second', '3');
    expect(cluster.info.origin).toEqual(origin('second', '3'));
    const count = made.length;
    known('prod', 'second', '4');
    expect(made).toHaveLength(count);
    expect(roster.get('eu-1')).toBe(cluster);
    expect(made[0]?.rotations).toBe(0);
    await roster.close();
  });

  it('FL-1, PV-4: the problem of an entry is reported again after a failure of discovery', async () => {
    const clock = new VirtualClock();
    const { roster, aware, told, engaged, entry } = scene({ clock });
    const end = new AbortController();
    let calls = 0;
    const served = roster.serve({ aware, signal: end.signal }, async () => {
      calls += 1;
      if (calls > 1) return;
      roster.admit('eu-1', entry('1'));
      await eventually(() => expect([...engaged]).toEqual(['eu-1']));
      roster.refuse('eu-1', new Error('the kubeconfig has no clusters'));
      throw new Error('the registry is away');
    });
    await eventually(() => expect(told.at(-1)).toContain('the registry is away'));
    await clock.advance(2_000);
    expect(told.slice(-2)).toEqual([
      'eu-1 Connecting: its provider runs again',
      'eu-1 Unreachable: the kubeconfig has no clusters; the cluster is kept as it was before',
    ]);
    end.abort();
    await served;
  });

  it('PV-3: a discovery that fails is tried again with backoff and shown, and no cluster is disengaged', async () => {
    const clock = new VirtualClock();
    const { roster, aware, told, engaged, entry } = scene({ clock });
    const end = new AbortController();
    let calls = 0;
    const served = roster.serve({ aware, signal: end.signal }, async () => {
      calls += 1;
      roster.admit('eu-1', entry('1'));
      if (calls > 1) return;
      await eventually(() => expect([...engaged]).toEqual(['eu-1']));
      throw new Error('the registry is away');
    });
    await eventually(() => expect(told.at(-1)).toContain('its provider failed, and tries again: the registry is away'));
    expect(calls).toBe(1);
    await clock.advance(2_000);
    expect(calls).toBe(2);
    expect(told.at(-1)).toBe('eu-1 Connecting: its provider runs again');
    expect([...engaged]).toEqual(['eu-1']);
    end.abort();
    await served;
    expect([...engaged]).toEqual([]);
  });

  it('PV-3: a discovery that fails after it has gone well for a while is tried again soon', async () => {
    const clock = new VirtualClock();
    const levels: string[] = [];
    const logger = {
      ...silentLogger,
      error: () => void levels.push('error'),
      debug: () => void levels.push('debug'),
    };
    const manager = { clock, logger } as unknown as Manager;
    const { roster, aware, entry } = scene();
    const end = new AbortController();
    const calls: number[] = [];
    const served = roster.serve({ aware, signal: end.signal, manager }, async () => {
      roster.admit('eu-1', entry('1'));
      if (calls.push(clock.now()) === 7) await sleep(clock, 70_000, end.signal);
      throw new Error('the registry is away');
    });
    await clock.advance(200_000);
    end.abort();
    await served;
    const [before = 0, after = 0] = calls.slice(6);
    expect(after - before).toBeGreaterThan(70_000);
    expect(after - before).toBeLessThanOrEqual(71_001);
    expect(levels.slice(0, 7)).toEqual(['error', 'debug', 'debug', 'debug', 'debug', 'debug', 'error']);
  });

  it('a discovery that ends by the abort is no failure', async () => {
    const { roster, aware } = scene();
    const end = new AbortController();
    const served = roster.serve({ aware, signal: end.signal }, () => sleep(systemClock, 60_000, end.signal));
    end.abort();
    await expect(served).resolves.toBeUndefined();
  });

  it('PV-3: a discovery that fails when there are no clusters is a failure of the provider', async () => {
    const { roster, aware } = scene();
    const served = roster.serve({ aware, signal: new AbortController().signal }, () =>
      Promise.reject(new Error('no such program')),
    );
    await expect(served).rejects.toThrow('no such program');
    expect(roster.isOpen).toBe(false);
  });
});
