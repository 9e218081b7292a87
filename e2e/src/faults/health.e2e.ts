import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Manager } from '@mcr/core';
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
const DEADLINE = 180_000;

describe('an engaged cluster', () => {
  let hub: ControlPlane;
  let member: ControlPlane;
  let proxy: FaultProxy;
  let clock: VirtualClock;
  let manager: Manager;
  let end: AbortController;
  let running: Promise<void>;

  beforeAll(async () => {
    [hub, member] = await Promise.all([createControlPlane({ name: 'hub' }), createControlPlane({ name: 'member' })]);
    proxy = await createFaultProxy({ target: member.config });
  }, DEADLINE);
  afterAll(async () => {
    await proxy.stop();
    await Promise.all([hub.stop(), member.stop()]);
  }, DEADLINE);

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
    provider.set(MEMBER, createCluster(proxy.config, { name: MEMBER, clock }));
    running = manager.start(end.signal);
    await timeUntil('Engaged', Infinity);
  }, DEADLINE);
  afterEach(async () => {
    end.abort();
    await running;
    proxy.heal();
  }, DEADLINE);

  /**
   * Advances the clock in small steps, so that the server has time to answer, until the cluster has this phase. Returns
   * the elapsed virtual time.
   */
  async function timeUntil(phase: string, limit: number): Promise<number> {
    const started = clock.now();
    await until(async () => {
      if (manager.fleet.get(MEMBER)?.phase === phase) return true;
      if (clock.now() - started > limit)
        throw new Error(`${JSON.stringify(manager.fleet.get(MEMBER))} after ${limit} ms`);
      await clock.advance(150);
      return false;
    });
    return clock.now() - started;
  }

  it(
    'F-24: becomes Unreachable within 55 s, with the reason, while its storage is down and /version responds',
    async () => {
      const { remove } = proxy.inject({
        on: 'requests',
        match: { path: '/readyz' },
        fault: { type: 'answer', status: 500 },
      });
      expect(await timeUntil('Unreachable', 55_000)).toBeGreaterThan(35_000);
      expect(manager.fleet.get(MEMBER)?.reason).toContain(`cluster "${MEMBER}" is not ready`);
      expect(manager.fleet.get(MEMBER)?.reason).toContain('GET /readyz answered 500');
      remove();
      await timeUntil('Engaged', 11_000);
    },
    DEADLINE,
  );

  it(
    'F-24: becomes Unreachable within 55 s while its process is frozen, and Engaged again when it continues',
    async () => {
      process.kill(member.pid, 'SIGSTOP');
      try {
        expect(await timeUntil('Unreachable', 55_500)).toBeGreaterThan(35_000);
        expect(manager.fleet.get(MEMBER)?.reason).toContain('deadline of 5000 ms passed');
      } finally {
        process.kill(member.pid, 'SIGCONT');
      }
      await timeUntil('Engaged', 11_000);
    },
    DEADLINE,
  );
});
