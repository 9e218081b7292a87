import { beforeEach, describe, expect, it } from '@jest/globals';
import { getEventListeners } from 'node:events';
import { ApiError, TransportError } from '@mcr/client';
import { VirtualClock } from '@mcr/client/testing';
import { ClusterUnreadyError } from '../cluster/cluster-unready-error.ts';
import { FakeCluster } from '../cluster/fake-cluster.fixture.ts';
import { createFleet } from './create-fleet.ts';
import type { Fleet } from './fleet.ts';
import { HealthMonitor } from './health-monitor.ts';

describe('HealthMonitor', () => {
  let clock: VirtualClock;
  let fleet: Fleet;
  let changes: string[];
  let unreachable: string[];
  let monitor: HealthMonitor;
  beforeEach(() => {
    clock = new VirtualClock();
    changes = [];
    unreachable = [];
    fleet = createFleet({ clock, onChange: ({ phase, reason }) => changes.push(`${phase}: ${reason}`) });
    monitor = new HealthMonitor({
      recorder: fleet.recorder,
      onUnreachable: (name) => unreachable.push(name),
      clock,
      random: () => 0.5,
    });
    fleet.recorder.phase('eu-1', 'Engaged', 'everything has synced');
  });

  it('FL-1: a successful health check also checks the sources of the cluster', async () => {
    const refusal = new ApiError({ status: 'Failure', code: 403, message: 'pods is forbidden' });
    fleet.recorder.source('eu-1', { controller: 'x', source: 'v1 Pod', state: 'synced', lastError: () => refusal });
    const [end, engagement] = [new AbortController(), new AbortController()];
    const running = monitor.run(end.signal);
    monitor.watch('eu-1', new FakeCluster(), engagement.signal);
    expect(fleet.get('eu-1')?.phase).toBe('Engaged');
    await clock.advance(11_000);
    expect(changes.slice(1)).toEqual(['Degraded: v1 Pod of controller x fails: pods is forbidden']);
    end.abort();
    await running;
  });

  it('FL-4: reports a cluster as unreachable once after 5 failures, and as reachable after the first success', async () => {
    const [end, engagement] = [new AbortController(), new AbortController()];
    const cluster = new FakeCluster();
    const running = monitor.run(end.signal);
    monitor.watch('eu-1', cluster, engagement.signal);
    await clock.advance(60_000);
    expect(cluster.pings).toBe(6);
    expect(changes).toEqual(['Engaged: everything has synced']);

    cluster.silence = new Error('connection refused');
    await clock.advance(40_000);
    expect(fleet.get('eu-1')?.phase).toBe('Engaged');
    await clock.advance(10_000);
    expect(fleet.get('eu-1')).toMatchObject({ phase: 'Unreachable', lastError: 'connection refused' });
    await clock.advance(600_000);
    expect(changes.slice(1)).toEqual(['Unreachable: connection refused']);
    expect(unreachable).toEqual(['eu-1']);

    cluster.silence = undefined;
    await clock.advance(10_000);
    expect(changes.slice(2)).toEqual(['Engaged: it answers again']);
    end.abort();
    await running;
    expect(clock.pendingTimers).toBe(0);
    expect(getEventListeners(engagement.signal, 'abort')).toEqual([]);
  });

  it('F-24: a cluster is unreachable within 55 s of its last answer, though each check takes its whole deadline', async () => {
    const [end, engagement] = [new AbortController(), new AbortController()];
    const cluster = new FakeCluster();
    const running = monitor.run(end.signal);
    monitor.watch('eu-1', cluster, engagement.signal);
    await clock.advance(55_000);
    const answered = clock.now();
    // Like a frozen process: connections stay open, and nothing arrives.
    cluster.ping = async ({ timeout = 0 }: { readonly timeout?: number } = {}) => {
      await new Promise<void>((resolve) => clock.schedule(timeout, resolve));
      throw new Error(`deadline of ${timeout} ms passed`);
    };
    await clock.advance(54_999);
    expect(unreachable).toEqual([]);
    await clock.advance(1);
    expect(unreachable).toEqual(['eu-1']);
    expect(clock.now() - answered).toBe(55_000);
    end.abort();
    await running;
  });

  it.each([
    ['a refused connection', new TransportError('refused', 'eu-1:6443', 'connection refused')],
    ['a name that is not in the DNS', new TransportError('unresolved', 'eu-1:6443', 'name not found')],
    ['a certificate that is not trusted', new TransportError('untrusted', 'eu-1:6443', 'certificate is not trusted')],
    ['401', new ApiError({ status: 'Failure', code: 401, message: 'Unauthorized' })],
  ])('FL-4: after %s it checks every 2 s until the fifth failure, and every 10 s afterwards', async (_, cause) => {
    const [end, engagement] = [new AbortController(), new AbortController()];
    const cluster = new FakeCluster();
    const running = monitor.run(end.signal);
    monitor.watch('eu-1', cluster, engagement.signal);
    await clock.advance(5_000);
    expect(cluster.pings).toBe(1);
    cluster.silence = new ClusterUnreadyError('does not answer', { cause });
    await clock.advance(17_999);
    expect([cluster.pings, unreachable]).toEqual([5, []]);
    await clock.advance(1);
    expect([cluster.pings, unreachable]).toEqual([6, ['eu-1']]);
    await clock.advance(60_000);
    expect(cluster.pings).toBe(12);
    end.abort();
    await running;
    engagement.abort();
  });

  it('FL-4: returns to checks every 10 s after a success, and after a transient failure', async () => {
    const end = new AbortController();
    const cluster = new FakeCluster();
    const running = monitor.run(end.signal);
    monitor.watch('eu-1', cluster, new AbortController().signal);
    await clock.advance(5_000);
    cluster.silence = new ClusterUnreadyError('does not answer', {
      cause: new TransportError('refused', 'eu-1:6443', 'connection refused'),
    });
    await clock.advance(12_000);
    expect(cluster.pings).toBe(3);
    cluster.silence = new ClusterUnreadyError('does not answer', {
      cause: new TransportError('deadline', 'eu-1:6443', 'deadline of 5000 ms passed'),
    });
    await clock.advance(11_999);
    expect(cluster.pings).toBe(4);
    cluster.silence = undefined;
    await clock.advance(20_001);
    expect(cluster.pings).toBe(7);
    expect(unreachable).toEqual([]);
    end.abort();
    await running;
  });

  it('FL-4: each answer resets the count of failures', async () => {
    const end = new AbortController();
    const cluster = new FakeCluster();
    const running = monitor.run(end.signal);
    monitor.watch('eu-1', cluster, new AbortController().signal);
    for (let round = 0; round < 5; round++) {
      cluster.silence = new Error('connection refused');
      await clock.advance(40_000);
      cluster.silence = undefined;
      await clock.advance(10_000);
    }
    expect(unreachable).toEqual([]);
    end.abort();
    await running;
  });

  it('FL-4: stops checking when the engagement ends', async () => {
    const [end, engagement] = [new AbortController(), new AbortController()];
    const cluster = new FakeCluster();
    // A cluster may be engaged before the monitor runs.
    monitor.watch('eu-1', cluster, engagement.signal);
    await clock.advance(60_000);
    expect(cluster.pings).toBe(0);
    const running = monitor.run(end.signal);
    await clock.advance(20_000);
    expect(cluster.pings).toBe(2);
    engagement.abort();
    await clock.advance(60_000);
    expect(cluster.pings).toBe(2);
    expect(clock.pendingTimers).toBe(0);
    end.abort();
    await running;
  });

  it('FL-4: checks an unresponsive cluster no more often, and others no later', async () => {
    const end = new AbortController();
    const running = monitor.run(end.signal);
    const [silent, well] = [new FakeCluster(), new FakeCluster()];
    silent.ping = () => new Promise(() => undefined);
    const engagement = new AbortController();
    monitor.watch('eu-1', silent, engagement.signal);
    monitor.watch('eu-2', well, engagement.signal);
    await clock.advance(60_000);
    expect(well.pings).toBe(6);
    end.abort();
    await running;
  });

  it('FL-4: an unreachable cluster can be disengaged, and returns without its old state', async () => {
    fleet.recorder.unreachable('eu-1', new Error('connection refused'));
    fleet.recorder.phase('eu-1', 'Disengaged', 'its Secret was deleted');
    expect(fleet.get('eu-1')?.phase).toBe('Disengaged');
    fleet.recorder.phase('eu-1', 'Engaged', 'everything has synced');
    expect(fleet.get('eu-1')?.phase).toBe('Engaged');
  });

  it('FL-4: an unreachable cluster that is engaged with another endpoint is no longer unreachable', async () => {
    fleet.recorder.phase('eu-1', 'Engaged', 'everything has synced');
    fleet.recorder.unreachable('eu-1', new Error('connection refused'));
    expect(fleet.get('eu-1')?.phase).toBe('Unreachable');
    fleet.recorder.phase('eu-1', 'Syncing', 'controllers are being notified');
    fleet.recorder.phase('eu-1', 'Engaged', 'everything has synced');
    expect(fleet.get('eu-1')?.phase).toBe('Engaged');
  });
});
