import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Cluster, Manager } from '@mcr/core';
import {
  ConfigMap,
  controllerManagedBy,
  createCluster,
  createManager,
  InMemoryProvider,
  silentLogger,
} from '@mcr/core';
import { VirtualClock } from '@mcr/core/testing';
import type { ControlPlane } from '@mcr/envtest';
import { createFaultProxy, type FaultProxy, createControlPlane } from '@mcr/envtest';
import { until } from '../until.ts';

const MEMBER = 'eu-1';

describe('an engaged cluster', () => {
  let hub: ControlPlane;
  let member: ControlPlane;
  let proxy: FaultProxy;
  let clock: VirtualClock;
  let manager: Manager;
  let end: AbortController;
  let running: Promise<void>;
  /** Number of health checks of the member that have no answer yet. */
  let checking: number;

  beforeAll(async () => {
    [hub, member] = await Promise.all([createControlPlane({ name: 'hub' }), createControlPlane({ name: 'member' })]);
    proxy = await createFaultProxy({ target: member.config });
  });
  afterAll(async () => {
    await proxy.stop();
    await Promise.all([hub.stop(), member.stop()]);
  });

  beforeEach(async () => {
    clock = new VirtualClock();
    end = new AbortController();
    const provider = new InMemoryProvider();
    manager = await createManager({
      config: hub.config,
      provider,
      clock,
      logger: silentLogger,
      metrics: { bindAddress: '0' },
    });
    await controllerManagedBy(manager)
      .for(ConfigMap)
      .complete(async () => undefined);
    provider.set(MEMBER, observed(createCluster(proxy.config, { name: MEMBER, clock })));
    running = manager.start(end.signal);
    await timeUntil('Engaged', { limit: Infinity });
  });
  afterEach(async () => {
    end.abort();
    await running;
    proxy.heal();
  });

  /** Counts the health checks of `cluster` while they run. */
  function observed(cluster: Cluster): Cluster {
    checking = 0;
    const ping: Cluster['ping'] = async (call) => {
      checking += 1;
      try {
        await cluster.ping(call);
      } finally {
        checking -= 1;
      }
    };
    return Object.create(cluster, { ping: { value: ping } }) as Cluster;
  }

  /**
   * Advances the clock in small steps until the cluster has this phase. Returns the elapsed virtual time. Time stands
   * still during a health check, however long a busy machine takes to answer, unless the member is `silent`.
   */
  async function timeUntil(
    phase: string,
    { limit, member: state = 'answers' }: { readonly limit: number; readonly member?: 'answers' | 'silent' },
  ): Promise<number> {
    const started = clock.now();
    await until(async () => {
      if (manager.fleet.get(MEMBER)?.phase === phase) return true;
      if (checking > 0 && state === 'answers') return false;
      if (clock.now() - started > limit)
        throw new Error(`${JSON.stringify(manager.fleet.get(MEMBER))} after ${limit} ms`);
      await clock.advance(150);
      return false;
    });
    return clock.now() - started;
  }

  it('F-24: becomes Unreachable within 55 s, with the reason, while its storage is down and /version responds', async () => {
    const { remove } = proxy.inject({
      on: 'requests',
      match: { path: '/readyz' },
      fault: { type: 'answer', status: 500 },
    });
    expect(await timeUntil('Unreachable', { limit: 55_000 })).toBeGreaterThan(35_000);
    expect(manager.fleet.get(MEMBER)?.reason).toContain(`cluster "${MEMBER}" is not ready`);
    expect(manager.fleet.get(MEMBER)?.reason).toContain('GET /readyz answered 500');
    remove();
    await timeUntil('Engaged', { limit: 11_000 });
  });

  it('F-24: becomes Unreachable within 55 s while its process is frozen, and Engaged again when it continues', async () => {
    process.kill(member.pid, 'SIGSTOP');
    try {
      expect(await timeUntil('Unreachable', { limit: 55_500, member: 'silent' })).toBeGreaterThan(35_000);
      expect(manager.fleet.get(MEMBER)?.reason).toContain('deadline of 5000 ms passed');
    } finally {
      process.kill(member.pid, 'SIGCONT');
    }
    await timeUntil('Engaged', { limit: 11_000 });
  });
});
