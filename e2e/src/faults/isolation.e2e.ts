import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiClient, ClusterConfig, ClusterName, Manager } from '@mcr/core';
import {
  ConfigMap,
  controllerManagedBy,
  createClient,
  createCluster,
  createManager,
  InMemoryProvider,
  silentLogger,
} from '@mcr/core';
import type { ControlPlaneFleet } from '@mcr/envtest';
import { createFaultProxy, type FaultProxy, createControlPlaneFleet } from '@mcr/envtest';
import { until } from '../until.ts';

const HEALTHY = ['member-1', 'member-2', 'member-3'];
/**
 * Number of bad clusters of each kind: more than the manager connects to at once (16), and than may list at once (8).
 */
const BAD = 20;
const CHANGES = 30;

/**
 * Maximum delay for healthy clusters beside bad ones, in milliseconds: both until they are engaged and, for the median,
 * until a change is reconciled. The latter is ten times the goal on an idle machine, which is 100 ms. Both are less than
 * the ten-second timeout of a bad cluster.
 */
const TOLERANCE = { engaged: 5_000, latency: 1_000 };

describe('a fleet with many bad clusters', () => {
  let fleet: ControlPlaneFleet;
  let proxy: FaultProxy;
  beforeAll(async () => {
    fleet = await createControlPlaneFleet({ members: HEALTHY.length + 1 });
    const target = fleet.members.at(-1);
    if (!target) throw new Error('the fleet has no member');
    proxy = await createFaultProxy({ target: target.config });
  });
  afterAll(async () => {
    await proxy.stop();
    await fleet.stop();
  });

  it.each<[string, () => void]>([
    ['black-holed', () => void proxy.inject({ on: 'connections', fault: { type: 'half-open' } })],
    [
      'sending one byte a second',
      () => void proxy.inject({ on: 'connections', fault: { type: 'throttle', bytesPerSecond: 1 } }),
    ],
    ['refusing TLS', () => void proxy.inject({ on: 'connections', fault: { type: 'refuse-tls' } })],
    [
      'answering, but never a list or a watch',
      () =>
        void proxy.inject({ on: 'requests', match: { path: 'configmaps' }, fault: { type: 'drop', part: 'response' } }),
    ],
    [
      'answering, but a byte of each list a second',
      () =>
        void proxy.inject({
          on: 'requests',
          match: { path: 'configmaps' },
          fault: { type: 'throttle', bytesPerSecond: 1 },
        }),
    ],
  ])('F-12: clusters %s do not delay the engagement or the reconciles of others', async (_, harm) => {
    const alone = await measure([]);
    harm();
    const bad = Array.from({ length: BAD }, (_each, index): [ClusterName, ClusterConfig] => [
      `bad-${index}`,
      proxy.config,
    ]);
    const beside = await measure(bad);
    proxy.heal();
    expect(beside.engaged - alone.engaged).toBeLessThan(TOLERANCE.engaged);
    expect(beside.latency - alone.latency).toBeLessThan(TOLERANCE.latency);
  });

  /**
   * Returns the time until all healthy clusters are engaged, and from a change in one of them to its reconcile, in
   * milliseconds.
   */
  async function measure(
    bad: readonly (readonly [ClusterName, ClusterConfig])[],
  ): Promise<{ engaged: number; latency: number }> {
    const provider = new InMemoryProvider();
    const manager = await createManager({
      config: fleet.hub.config,
      provider,
      logger: silentLogger,
      metrics: { bindAddress: '0' },
    });
    const waiting = new Map<string, () => void>();
    await controllerManagedBy(manager)
      .for(ConfigMap)
      .complete(async ({ name }) => waiting.get(name)?.());
    const join = (name: ClusterName, config: ClusterConfig) =>
      provider.set(name, createCluster(config, { name, logger: silentLogger, listSlots: manager.listSlots }));
    // Adds the bad clusters first, so that they are ahead in every queue.
    for (const [name, config] of bad) join(name, config);
    for (const name of HEALTHY) join(name, configOf(name));
    const end = new AbortController();
    const started = performance.now();
    const running = manager.start(end.signal);
    try {
      await until(() => HEALTHY.every((name) => phaseOf(manager, name) === 'Engaged'));
      const engaged = performance.now() - started;
      const latencies: number[] = [];
      await using client: ApiClient = createClient(configOf('member-1'));
      for (let count = 0; count < CHANGES; count++) {
        const name = `change-${count}`;
        const { promise, resolve } = Promise.withResolvers<void>();
        waiting.set(name, resolve);
        const before = performance.now();
        await client.create(ConfigMap, { metadata: { namespace: 'default', name } });
        await promise;
        latencies.push(performance.now() - before);
      }
      await client.deleteCollection(ConfigMap, { namespace: 'default' });
      expect(bad.filter(([name]) => phaseOf(manager, name) === 'Engaged')).toEqual([]);
      return { engaged, latency: median(latencies) };
    } finally {
      end.abort();
      await running;
    }
  }

  function configOf(name: ClusterName): ClusterConfig {
    const member = fleet.members.find((each) => each.name === name);
    if (!member) throw new Error(`${name} not found`);
    return member.config;
  }
});

function median(numbers: readonly number[]): number {
  const ascending = [...numbers].sort((a, b) => a - b);
  return ascending[Math.floor(ascending.length / 2)] ?? Infinity;
}

function phaseOf(manager: Manager, name: ClusterName): string | undefined {
  return manager.fleet.get(name)?.phase;
}
