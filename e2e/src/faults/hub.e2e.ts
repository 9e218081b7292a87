import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ApiClient, LeaderElectionOptions, Manager } from '@mcr/core';
import {
  ConfigMap,
  controllerManagedBy,
  createClient,
  createManager,
  isLeaderElectionLost,
  Lease,
  Namespace,
  Secret,
} from '@mcr/core';
import type { ControlPlane, ControlPlaneFleet } from '@mcr/envtest';
import { createFaultProxy, type FaultProxy, createControlPlaneFleet } from '@mcr/envtest';
import { createKubeconfigProvider } from '@mcr/provider-kubeconfig';
import { AcceleratedClock } from '../accelerated-clock.ts';
import { until } from '../until.ts';
import { RecordingLogger } from './recording-logger.ts';

const NAMESPACE = 'fleet';
const LABELS = { 'sigs.k8s.io/multicluster-runtime-kubeconfig': 'true' };

/** Duration of the lease on that clock, in milliseconds: long enough for a busy machine to renew in time. */
const LEASE = { leaseDuration: 60_000, renewDeadline: 25_000 };
const clock = new AcceleratedClock(5);

describe('a manager with an unreliable network to its hub', () => {
  let fleet: ControlPlaneFleet;
  let member: ControlPlane;
  let proxy: FaultProxy;
  let hub: ApiClient;
  let direct: ApiClient;
  let manager: Manager;
  let log: RecordingLogger;
  let end: AbortController;
  let running: Promise<unknown>;

  beforeAll(async () => {
    fleet = await createControlPlaneFleet({ members: 1 });
    member = fleet.members[0] ?? fleet.hub;
    hub = createClient(fleet.hub.config);
    direct = createClient(member.config);
    await hub.create(Namespace, { metadata: { name: NAMESPACE } });
  });
  afterAll(async () => {
    await Promise.all([hub.close(), direct.close()]);
    await fleet.stop();
  });
  beforeEach(async () => {
    proxy = await createFaultProxy({ target: fleet.hub.config });
    log = new RecordingLogger();
    end = new AbortController();
    await declare(member.kubeconfig);
  });
  afterEach(async () => {
    end.abort();
    await running;
    await proxy.stop();
    await hub.deleteCollection(Secret, { namespace: NAMESPACE });
    await direct.deleteCollection(ConfigMap, { namespace: 'default' });
  });

  const key = { namespace: NAMESPACE, name: 'member' };
  const declare = (kubeconfig: string) =>
    hub.create(Secret, { metadata: { ...key, labels: LABELS }, stringData: { kubeconfig } });

  /** Resolves once the member is engaged. */
  async function start(leaderElection?: LeaderElectionOptions): Promise<void> {
    manager = await createManager({
      config: proxy.config,
      provider: createKubeconfigProvider({ namespace: NAMESPACE }),
      clock,
      logger: log,
      metrics: { bindAddress: '0' },
      ...(leaderElection && { leaderElection }),
    });
    await controllerManagedBy(manager)
      .for(ConfigMap)
      .complete(async (request, { cluster }) => {
        const { client } = await cluster();
        const configMap = await client.find(ConfigMap, request);
        const input = configMap?.data?.['input'];
        if (input === undefined || configMap?.data?.['output'] === input) return;
        await client.patch(ConfigMap, request, { data: { output: input } }, 'merge');
      });
    running = manager.start(end.signal).then(
      () => 'stopped',
      (error: unknown) => error,
    );
    await until(() => manager.fleet.get('member')?.phase === 'Engaged');
  }

  /** Reports whether the controller reconciles a change in the member. */
  async function isReconciled(name: string): Promise<void> {
    const configMap = { namespace: 'default', name };
    await direct.create(ConfigMap, { metadata: configMap, data: { input: name } });
    await until(async () => (await direct.get(ConfigMap, configMap)).data?.['output'] === name);
  }

  it('F-18: members are reconciled while the hub is silent, until the lease expires', async () => {
    await start({ id: 'silent-hub', namespace: NAMESPACE, ...LEASE });
    await isReconciled('before');
    const silent = clock.now();
    proxy.inject({ on: 'connections', fault: { type: 'stall' } });
    await isReconciled('meanwhile');
    expect(manager.isLeader()).toBe(true);

    const outcome = await running;
    const gone = clock.now() - silent;
    expect(isLeaderElectionLost(outcome)).toBe(true);
    // The renewal deadline starts at the previous renewal.
    expect(gone).toBeGreaterThan(LEASE.renewDeadline / 2);
    // Checks just before another replica may acquire the lease.
    expect(gone).toBeLessThan(LEASE.leaseDuration);
    expect(log.messages('error')).toContain('lost the lease');
    const late = { namespace: 'default', name: 'late' };
    await direct.create(ConfigMap, { metadata: late, data: { input: 'late' } });
    await isStill(async () => (await direct.get(ConfigMap, late)).data?.['output'] === undefined);
  });

  it('F-18: without a lease, members are reconciled while the hub is away, and new ones join when it is back', async () => {
    await start();
    proxy.inject({ on: 'connections', fault: { type: 'refuse' } });
    proxy.inject({ on: 'connections', fault: { type: 'reset' } }).remove();
    await until(() => manager.fleet.get('')?.phase !== 'Engaged' || log.messages('warn').length > 0);
    await isReconciled('meanwhile');
    expect(manager.fleet.get('member')?.phase).toBe('Engaged');
    await hub.create(Secret, {
      metadata: { ...key, name: 'second', labels: LABELS },
      stringData: { kubeconfig: member.kubeconfig },
    });
    proxy.heal();
    await until(() => manager.fleet.get('second')?.phase === 'Engaged');
    end.abort();
    expect(await running).toBe('stopped');
  });

  it('F-18: a lease that is renewed in time is kept', async () => {
    await start({ id: 'short-outage', namespace: NAMESPACE, ...LEASE });
    const { remove } = proxy.inject({
      on: 'requests',
      match: { path: '/leases/' },
      fault: { type: 'answer', status: 503 },
    });
    await until(() =>
      log.messages('warn').some((message) => message.startsWith('failed to acquire or renew the lease')),
    );
    remove();
    const { spec } = await hub.get(Lease, { namespace: NAMESPACE, name: 'short-outage' });
    await until(
      async () =>
        (await hub.get(Lease, { namespace: NAMESPACE, name: 'short-outage' })).spec?.renewTime !== spec?.renewTime,
    );
    expect(manager.isLeader()).toBe(true);
    await isReconciled('after');
  });

  it('F-14, KC-2: a half-written kubeconfig keeps the last valid one, and rotates the credentials once it is complete', async () => {
    await start();
    const cluster = await manager.getCluster('member');
    const renewed = await member.issueToken();
    const half = renewed.kubeconfig.slice(0, renewed.kubeconfig.length / 2);
    const write = (kubeconfig: string) => hub.patch(Secret, key, { stringData: { kubeconfig } }, 'merge');
    await write(half);
    await until(() => manager.fleet.get('member')?.reason.includes('keeps its last good configuration') ?? false);
    await isReconciled('with-the-last-good-one');
    expect(await manager.getCluster('member')).toBe(cluster);

    await write(renewed.kubeconfig);
    await until(() => manager.fleet.get('member')?.phase === 'Engaged');
    await isReconciled('with-the-new-one');
    expect(await manager.getCluster('member')).toBe(cluster);
    expect(cluster.config.auth).toEqual(renewed.config.auth);
  });

  /** Checks `condition` for a while. */
  async function isStill(condition: () => Promise<boolean>): Promise<void> {
    const over = performance.now() + 500;
    await until(async () => {
      expect(await condition()).toBe(true);
      return performance.now() > over;
    });
  }
});
